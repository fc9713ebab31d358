# frozen_string_literal: true

require "sequel/core"

module Holdup
  module Store
    class Sql
      # The last rounds of each host: a row for each slot of its ring, which the next hour's round replaces.
      class RecentRows
        # @param hosts [WindowCodec::Catalog]
        def initialize(connection, hosts)
          @connection = connection
          @hosts = hosts
        end

        # @param figures [RecentFigures]
        def save(figures)
          @connection.write do |db|
            key = {host_id: @hosts.id(figures.host), slot: figures.slot}
            packed = Sequel.blob(RecentFigures::Codec.dump(figures))
            row = {start_s: figures.start_s, packed:}
            changed = db[:recent_figures].where(key).update(row)
            db[:recent_figures].insert(**key, **row) if changed.zero?
          end
        end

        # @param hosts [Array<String>, nil] nil: all
        # @return [Array<RecentFigures>] by time and host, without those that are damaged
        def between(from_s, to_s, hosts)
          @connection.read do |db|
            rows = db[:recent_figures].where { (start_s >= from_s) & (start_s < to_s) }
            figures = rows.order(:start_s, :id).all.filter_map { |row| figures(row) }
            hosts ? figures.select { |one| hosts.include?(one.host) } : figures
          end
        end

        # Hosts that are gone leave their last hour.
        def prune(now_s)
          before_s = now_s - RecentFigures::KEEP_S
          @connection.write { |db| db[:recent_figures].where { start_s < before_s }.delete }
        end

        private

        def figures(row)
          bytes = String.new(row[:packed])
          RecentFigures::Codec.load(bytes, host: @hosts.value(row[:host_id]), start_s: row[:start_s])
        rescue DamagedData
          nil
        end
      end
    end
  end
end
