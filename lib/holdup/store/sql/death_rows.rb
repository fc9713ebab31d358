# frozen_string_literal: true

require "json"
require "sequel"

module Holdup
  module Store
    class Sql
      # What processes were doing when they died.
      class DeathRows
        def initialize(connection)
          @connection = connection
        end

        # One of each source.
        # @param autopsies [Array<Autopsy>]
        def add(autopsies)
          return if autopsies.empty?
          rows = autopsies.to_h { |autopsy| [autopsy.source, row(autopsy)] }
          @connection.write do |db|
            known = db[:deaths].where(source: rows.keys).select_map(:source)
            db[:deaths].multi_insert(rows.except(*known).values)
          end
        end

        # @return [Array<Autopsy>] by time, without those that are damaged
        def between(from_s, to_s)
          @connection.read do |db|
            rows = db[:deaths].where { (at_s >= from_s) & (at_s < to_s) }
            rows.order(:at_s, :id).all.filter_map { |row| autopsy(row) }
          end
        end

        def prune(now_s)
          @connection.write do |db|
            db[:deaths].where { at_s < now_s - Autopsy::KEEP_S }.delete
            kept = db[:deaths].reverse(:at_s, :id).limit(Autopsy::MOST).select_map(:id)
            db[:deaths].exclude(id: kept).delete if kept.size == Autopsy::MOST
          end
        end

        private

        def row(autopsy)
          {source: autopsy.source, at_s: autopsy.at_s, facts: JSON.generate(autopsy.facts)}
        end

        def autopsy(row)
          Autopsy.load(source: row[:source], facts: JSON.parse(row[:facts], symbolize_names: true))
        rescue JSON::ParserError, ArgumentError, KeyError, TypeError, NoMethodError # damaged
          nil
        end
      end
    end
  end
end
