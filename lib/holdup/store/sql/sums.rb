# frozen_string_literal: true

require "sequel"

module Holdup
  module Store
    class Sql
      # Windows that the database adds up: numbers by itself, and of histograms it puts one behind the other
      # what is written, which is added up at once (with the extension that the probe brings). A window that
      # is not asked for by itself is never made: that is nearly all of a long span's time.
      class Sums
        # A query adds up the windows of so many starts, or so many windows of few series. Meanwhile no other
        # thread of an application that shows the dashboard can run, so it has to be short.
        STARTS = 24
        WINDOWS = 2400
        MOST_STARTS = 240
        NUMBERS = [:count, :errors, *Window::SUMS].freeze
        EMPTY = Window::HISTOGRAMS.to_h { |name| [name, Histogram.empty] }.freeze

        # @param connection [Connection]
        # @param codec [WindowCodec]
        # @param step_s [Integer, nil] see Sql#sums
        # @param settings [Array<Setting>, nil]
        # @param together [Series, nil]
        # @param histograms [Array<Symbol>]
        def initialize(connection, codec, step_s:, settings:, together:, histograms:)
          @connection = connection
          @codec = codec
          @step_s = step_s
          @settings = settings
          @together = together
          @histograms = histograms
          @found = Hash.new { |found, key| found[key] = SumBuilder.new }
        end

        # @param stretch [ReadPlan::TierRange]
        # @param series_ids [Array<Integer>, nil] nil for all
        # @return [void]
        def add(stretch, series_ids)
          pieces(stretch, series_ids).each { |piece|
            rows(piece, series_ids).each { |row| @found[key(row)].add(row, piece.seconds) }
          }
        end

        # @return [Array<SpanSum>]
        def to_a
          @found.values.map { |added| sum(added.row) }
        end

        private

        # Cut at round times, so that what belongs together is in one.
        def pieces(stretch, series_ids)
          length_s = stretch.seconds * (series_ids ? (WINDOWS / [series_ids.size, 1].max).clamp(STARTS,
            MOST_STARTS) : STARTS)
          cuts = (stretch.from_s.ceildiv(length_s) * length_s...stretch.to_s).step(length_s).to_a
          [stretch.from_s, *cuts, stretch.to_s].uniq.each_cons(2).map { |from_s, to_s|
            stretch.with(from_s:, to_s:)
          }
        end

        def rows(piece, series_ids)
          @connection.read do |db|
            found = db[:windows].where(seconds: piece.seconds, start_s: piece.from_s...piece.to_s)
            found = found.where(series_id: series_ids) if series_ids
            found = found.where(setting_id: setting_ids) if @settings
            found.select(*keys, *columns).group(*keys, *step).all
          end
        end

        # Not `settings.id`, which would add one that nobody has seen.
        def setting_ids
          @setting_ids ||= @codec.settings.load.select { |_, setting| @settings.include?(setting) }.keys
        end

        def key(row)
          [row[:series_id], row[:setting_id], @step_s && row[:min_start_s] / @step_s]
        end

        def keys
          @together ? [:setting_id] : %i[series_id setting_id]
        end

        def step
          @step_s && Sequel[:start_s].sql_number - Sequel[:start_s].sql_number % @step_s
        end

        def columns
          @columns ||= [*NUMBERS.map { |name| Sequel.function(:sum, name).as(name) }, *@histograms.map { |name| @connection.dialect.joined(name).as(name) },
            *%i[start_s host_id].flat_map { |name| %i[min max].map { |end_of| Sequel.function(end_of, name).as(:"#{end_of}_#{name}") } }, Sequel.function(:count).*.as(:windows)]
        end

        def sum(row)
          start_s = row[:min_start_s]
          window = Window.new(start_s:, seconds: row[:end_s] - start_s, series: @together || @codec.series.value(row[:series_id]), setting: @codec.settings.value(row[:setting_id]),
            host: host(row), count: row[:count], errors: row[:errors], sums: row.slice(*Window::SUMS), histograms: histograms(row))
          SpanSum.new(window:, covered_s: row[:covered_s])
        end

        def histograms(row)
          {**EMPTY, **@histograms.to_h { |name| [name, Histogram.load_sum(row[name])] }}
        end

        def host(row)
          (row[:min_host_id] == row[:max_host_id]) ? @codec.hosts.value(row[:min_host_id]) : nil
        end
      end
    end
  end
end
