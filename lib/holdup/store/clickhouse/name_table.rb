# frozen_string_literal: true

require "digest"
require "json"

module Holdup
  module Store
    class Clickhouse
      # Series and settings behind the ids in rows. An id is made of the name, so collectors need not agree on
      # it. A name is written before its rows; to write it again does no harm.
      class NameTable
        # The tables of the other stores have these lengths, and a store can be copied into them.
        LENGTHS = {name: 200, queue: 424}.freeze

        def self.series_id(series)
          Digest::SHA256.digest([series.kind, series.name, series.queue].to_json).unpack1("Q>")
        end

        def self.setting_id(setting) = setting.fingerprint.to_i(16)

        def initialize(client)
          @client = client
          forget
        end

        # What is known to be stored; another server may be there after a failure.
        def forget
          @stored = {}
          @loaded = Hash.new { |loaded, kind| loaded[kind] = load(kind) }
        end

        # @raise [StoreError::BadRow]
        def check(series)
          LENGTHS.each do |part, length|
            text = series.public_send(part).to_s
            next if text.size <= length
            reason = "the #{part} #{text[0, 40]}... is longer than #{length} characters"
            raise StoreError::BadRow.new(location: @client.location, reason:)
          end
        end

        # @param paths [Hash{Series => String}]
        def save(series, settings, paths)
          rows = [*series.uniq.map { |one| ["series", NameTable.series_id(one), text_of(one)] },
            *settings.uniq.map { |one| ["setting", NameTable.setting_id(one), one.to_json] },
            *paths.map { |one, path| ["path", NameTable.series_id(one), path] }]
          rows.reject! { |kind, id, text| @stored[[kind, id]] == text }
          stamp = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
          @client.insert("names", rows.map { |kind, id, text| {kind:, id:, stamp:, text:} })
          rows.each { |kind, id, text| @stored[[kind, id]] = text }
        end

        # `series_ids` uses what this has read.
        def read_series
          @loaded.delete("series")
          @loaded["series"]
        end

        # Numbers of the series that were read last.
        # @return [Array<Integer>]
        def series_ids(filter)
          @loaded["series"].select { |_, series| filter.match?(series) }.keys
        end

        # Of those that `series_ids` found (nil: all that were read), which have the same.
        # @param part [Symbol] :name or :queue
        # @return [Hash{Integer => Integer}] number of each series => that of the first one with the same
        def same(series_ids, part)
          series = series_ids ? @loaded["series"].slice(*series_ids) : @loaded["series"]
          by_part = series.keys.group_by { |id| series[id].public_send(part) }
          by_part.values.flat_map { |ids| ids.map { |id| [id, ids.first] } }.to_h
        end

        def series(id) = value("series", id.to_i)

        def setting(id) = value("setting", id.to_i)

        # @return [Array<Setting>]
        def settings = load("setting").values

        # @return [Hash{Series => String}]
        def paths
          series = load("series")
          load("path").filter_map { |id, path| [series[id], path] if series[id] }.to_h
        end

        def count
          @client.rows("SELECT uniqExact(id) FROM names WHERE kind = 'series'").dig(0, 0).to_i
        end

        private

        def text_of(series) = [series.kind, series.name, series.queue].to_json

        def value(kind, id)
          @loaded.delete(kind) unless @loaded[kind].key?(id)
          @loaded[kind].fetch(id) do
            reason = "the #{kind} #{id} has no name"
            raise ServerErrors::Corrupt.new(location: @client.location, reason:)
          end
        end

        def load(kind)
          rows = @client.rows("SELECT id, argMax(text, stamp) FROM names WHERE kind = '#{kind}' GROUP BY id")
          rows.to_h { |id, text| [id.to_i, parse(kind, text)] }
        end

        def parse(kind, text)
          case kind
          when "series"
            series_kind, name, queue = JSON.parse(text)
            Series.new(kind: series_kind.to_sym, name:, queue:)
          when "setting" then Setting.parse(text)
          else text
          end
        end
      end
    end
  end
end
