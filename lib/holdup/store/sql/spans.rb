# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # Reads spans of windows for Sql, which documents these methods.
      class Spans
        def initialize(connection, rows, codec)
          @connection = connection
          @rows = rows
          @codec = codec
        end

        def windows(from_s, to_s, seconds: nil, hosts: nil, histograms: Window::HISTOGRAMS, **filter)
          filter = SeriesFilter.new(**filter)
          Enumerator.new do |windows|
            each_range(from_s, to_s, seconds, filter, hosts) do |range, ids|
              @rows.each(range, ids:, histograms:) { |window| windows << window }
            end
          end
        end

        def sums(from_s, to_s, step_s: nil, seconds: step_s, settings: nil, together: nil, by_host: false,
          hosts: nil, histograms: Window::HISTOGRAMS, **filter)
          options = {step_s:, settings:, together:, by_host:, histograms:}
          unless @connection.read { |db| @connection.dialect.concatenates?(db) }
            return SpanSum.of(windows(from_s, to_s, seconds:, hosts:, **filter), **options)
          end
          sums = Sums.new(@connection, @codec, **options)
          each_range(from_s, to_s, seconds, SeriesFilter.new(**filter), hosts) do |range, ids|
            sums.add(range, ids)
          end
          sums.to_a
        end

        def setting_starts(from_s, to_s, step_s:, hosts: nil, **filter)
          starts = []
          each_range(from_s, to_s, step_s, SeriesFilter.new(**filter), hosts) do |range, ids|
            starts.concat(@rows.setting_starts(range, ids:))
          end
          by_step = starts.group_by { |at_s, setting| [at_s / step_s, setting] }
          by_step.map { |(_, setting), same| [same.map(&:first).min, setting] }
        end

        def stalls(from_s, to_s, hosts: nil, **filter)
          filter = SeriesFilter.new(**filter)
          Enumerator.new do |stalls|
            each_range(from_s, to_s, nil, filter, hosts) do |range, ids|
              @rows.each_stall(range, ids:) { |stall| stalls << stall }
            end
          end
        end

        private

        # @yieldparam ids [Hash{Symbol => Array<Integer>}] of the wanted rows, by column; all without a key
        def each_range(from_s, to_s, seconds, filter, hosts)
          @connection.read do
            ids = {series_id: (series_ids(filter) unless filter.all?), host_id: hosts && host_ids(hosts)}
            ids.compact!
            next if ids.value?([])
            ranges = ReadPlan.new(@rows.tiers).ranges(from_s, to_s, seconds:)
            ranges.each { |range| yield range, ids }
          end
        end

        def host_ids(hosts)
          @codec.hosts.load.select { |_, host| hosts.include?(host) }.keys
        end

        def series_ids(filter)
          @codec.series.load.select { |_, series| filter.match?(series) }.keys
        end
      end
    end
  end
end
