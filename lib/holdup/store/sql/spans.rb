# frozen_string_literal: true

require "sequel/core"

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
          streaming do |windows|
            each_range(from_s, to_s, filter, seconds:, hosts:, again: windows) do |range, ids|
              @rows.each(range, ids:, histograms:) { |window| windows << window }
            end
          end
        end

        def sums(from_s, to_s, step_s: nil, seconds: step_s, settings: nil, together: nil, apart: nil,
          by_host: false, hosts: nil, histograms: Window::HISTOGRAMS, heads: [], numbers: Window::SUMS,
          **filter)
          options = {step_s:, settings:, together:, apart:, by_host:, histograms:, heads:, numbers:}
          unless concatenates?
            return SpanSum.of(windows(from_s, to_s, seconds:, hosts:, **filter), **options)
          end
          sums = nil
          start = -> { sums = Sums.new(@connection, @codec, pairs: @rows.pairs, **options) }
          each_range(from_s, to_s, SeriesFilter.new(**filter), seconds:, hosts:, start:) do |range, ids|
            sums.add(range, ids)
          end
          sums.to_a
        end

        def step_sums(from_s, to_s, step_s:, of:, apart: nil, hosts: nil, **filter)
          unless concatenates?
            return SpanSum.by_step(of, step_s:, apart:) do |options|
              sums(from_s, to_s, hosts:, **options, **filter)
            end
          end
          steps = nil
          start = -> { steps = Steps.new(@connection, @codec, pairs: @rows.pairs, step_s:, of:, apart:) }
          filter = SeriesFilter.new(**filter)
          each_range(from_s, to_s, filter, seconds: step_s, hosts:, start:) do |range, ids|
            steps.add(range, ids)
          end
          steps.to_h
        end

        def setting_starts(from_s, to_s, step_s:, hosts: nil, **filter)
          starts = []
          filter = SeriesFilter.new(**filter)
          start = -> { starts.clear }
          each_range(from_s, to_s, filter, seconds: step_s, hosts:, start:) do |range, ids|
            starts.concat(@rows.setting_starts(range, ids:, starts: looked_up(range, ids[:series_id])))
          end
          by_step = starts.group_by { |at_s, setting| [at_s / step_s, setting] }
          by_step.map { |(_, setting), same| [same.map(&:first).min, setting] }
        end

        private

        def concatenates? = @connection.read { |db| @connection.dialect.concatenates?(db) }

        def looked_up(range, series_ids) = Starts.looked_up(@connection, @codec, range, series_ids)

        # @yieldparam rows [Handed]
        # @return [Enumerator] of what the block hands out
        def streaming
          Enumerator.new { |rows| yield Handed.new(rows) }
        end

        # @param start [#call] before the first range, also when the database ended the read and it runs again
        # @param again [#call] see Connection#read
        # @yieldparam ids [Hash{Symbol => Array<Integer>}] of the wanted rows, by column; all without a key
        def each_range(from_s, to_s, filter, hosts:, seconds: nil, start: -> {}, again: ->(_error) { true })
          @connection.read(again:) do
            start.call
            ids = {series_id: (series_ids(filter) unless filter.all?), host_id: hosts && host_ids(hosts)}
            ids.compact!
            next if ids.value?([])
            ranges = Tier::ReadPlan.new(@rows.tiers).ranges(from_s, to_s, seconds:)
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

      # The condition on `start_s` of a question about a range. The index begins with the starts, so a
      # question about a range of them reads the entries of all series. Where few series are wanted, a list of
      # starts is several times as fast.
      module Spans::Starts
        # Of so many series, one is looked for start by start.
        FEW = 8
        # Two days of minutes. It takes longer to write a much longer list than to read the range.
        MOST = 2_880
        private_constant :FEW, :MOST

        # @param series_ids [Array<Integer>, nil] of the wanted series; nil: all
        # @return [Range, Array<Integer>]
        def self.looked_up(connection, codec, range, series_ids)
          whole = range.from_s...range.to_s
          return whole unless series_ids && connection.dialect.finds_starts?
          return whole if (range.to_s - range.from_s) / range.seconds > MOST
          return whole if series_ids.size * FEW > codec.series.load.size
          first_s = range.from_s.ceildiv(range.seconds) * range.seconds
          (first_s...range.to_s).step(range.seconds).to_a
        end
      end

      # What a reader got. A read that has handed rows out does not run again, because they would be doubled.
      class Spans::Handed
        def initialize(rows)
          @rows = rows
          @any = false
        end

        def <<(row)
          @any = true
          @rows << row
        end

        # See Connection#read.
        def call(_error) = !@any
      end

      # Sums of windows by the database: it adds numbers and concatenates encoded histograms, which are then
      # added at once (in C with the extension). Making single windows would take most of a long span's time.
      class Spans::Sums
        # Limit of starts in one query, or of windows for few series. A query must be short, because it blocks
        # the other threads of an application that serves the dashboard.
        STARTS = 24
        WINDOWS = 2400
        MOST_STARTS = 240
        COUNTS = %i[count errors].freeze
        # What the sums of a table are made of: the first and last host, and the number of windows.
        FIGURES = {
          windows: [%i[host_id host_id], Sequel.function(:count).*],
          host_sums: [%i[min_host_id max_host_id], Sequel.function(:sum, :windows)]
        }.freeze
        EMPTY = Window::HISTOGRAMS.to_h { |name| [name, Histogram.empty] }.freeze
        NO_SUMS = Window::SUMS.to_h { |name| [name, 0] }.freeze
        PAIR = {count: 0, errors: 0}.freeze
        private_constant :STARTS, :WINDOWS, :MOST_STARTS, :COUNTS, :FIGURES, :EMPTY, :NO_SUMS, :PAIR

        # Options as for Reader#sums.
        # @param pairs [PairBlocks, nil] nil where pairs are rows of the table
        def initialize(connection, codec, step_s:, settings:, together:, by_host:, histograms:,
          apart: nil, heads: [], numbers: Window::SUMS, pairs: nil)
          @connection = connection
          @codec = codec
          @pairs = pairs
          @step_s = step_s
          @settings = settings
          @together = together
          @apart = (apart if together)
          @by_host = by_host
          @histograms = histograms | heads
          @heads = heads
          @numbers = numbers
          @rows = {}
          @pair_sums = {}
          @series = {}
        end

        # @param ids [Hash{Symbol => Array<Integer>}] of the wanted rows, by column
        def add(range, ids)
          packed = @pairs ? @pairs.wanted(ids[:series_id]) : []
          add_pairs(range, ids, packed) if packed.any?
          return if packed.any? && packed.size == ids[:series_id]&.size
          pieces(range, ids[:series_id]).each do |piece|
            read(piece, ids).each { |row| merge(row, piece.seconds) }
          end
        end

        def to_a
          pairs = @pair_sums.map { |(series_id, setting_id), sum| pair_span_sum(series_id, setting_id, sum) }
          pairs + @rows.values.map { |row| span_sum(row) }
        end

        private

        # @param packed [Array<Integer>] ids of the wanted pairs
        def add_pairs(range, ids, packed)
          one_id(ids[:series_id])
          sums = PairSums.new(@codec.series.load.slice(*packed), step_s: @step_s) { |id| group(id) }
          origin = {setting_id: (setting_ids if @settings), **ids.slice(:host_id)}.compact
          @pairs.each_packed(range, origin) { |row, numbers| sums.add(row, numbers) }
          sums.each { |pair| merge_pair(pair, range.seconds) }
        end

        # @param pair [PairSums::Sum]
        def merge_pair(pair, seconds)
          return merge(pair_row(pair), seconds) if @together
          key = [pair.group, pair.setting_id, (pair.host_id if @by_host), @step_s && pair.first_s / @step_s]
          known = @pair_sums[key]
          known ? known.add(pair, seconds) : @pair_sums[key] = PairSums::SpanTotal.of(pair, seconds)
        end

        # A pair has one number: its window is made without a row of all columns.
        # @param sum [PairSums::SpanTotal]
        def pair_span_sum(series_id, setting_id, sum)
          window = Window.new(**PAIR, **pair_number(sum), series: @codec.series.value(series_id),
            setting: @codec.settings.value(setting_id), host: sum.host_id && @codec.hosts.value(sum.host_id),
            start_s: sum.start_s, seconds: sum.end_s - sum.start_s)
          SpanSum.new(window:, covered_s: sum.covered_s)
        end

        # @return [Hash] sums and histograms of a window
        def pair_number(sum)
          column = sum.column
          numbers = @numbers.include?(column) ? NO_SUMS.merge(column => sum.ns).freeze : NO_SUMS
          return {sums: numbers, histograms: no_pair_times} unless @histograms.include?(column)
          {sums: numbers, histograms: {**no_pair_times, column => pair_time(column, sum.ns)}.freeze}
        end

        def pair_time(column, ns)
          @heads.include?(column) ? Histogram::CountAndSum.new(count: 0, sum: ns) : Histogram.of_sum(ns)
        end

        def no_pair_times
          @no_pair_times ||= EMPTY.merge(@histograms.to_h { |name| [name, pair_time(name, 0)] }).freeze
        end

        # @return [Integer, nil] the id that stands for those that are summed together; nil: all of them are
        def group(series_id)
          return @ones.fetch(series_id, series_id) if @apart
          series_id unless @together
        end

        # A row as a query has it, of pairs that are added up together with others.
        def pair_row(pair)
          row = {**blank, setting_id: pair.setting_id, windows: pair.windows, min_host_id: pair.host_id,
                          max_host_id: pair.host_id, min_start_s: pair.first_s, max_start_s: pair.last_s}
          row[:one_id] = pair.group if @apart
          row[:host_id] = pair.host_id if @by_host
          row[pair.column] = Histogram::Codec.dump_sum(pair.ns) if @histograms.include?(pair.column)
          row[pair.column] = pair.ns if @numbers.include?(pair.column)
          row
        end

        def blank
          @blank ||= {**[*COUNTS, *@numbers].to_h { |name| [name, 0] },
                      **@histograms.to_h { |name| [name, Histogram::Codec.dump_sum(0)] }}
        end

        # Cut at round times, so that a step's windows are in one piece.
        def pieces(range, series_ids)
          length_s = range.seconds * starts_at_once(series_ids)
          cuts = (range.from_s.ceildiv(length_s) * length_s...range.to_s).step(length_s).to_a
          ends = [range.from_s, *cuts, range.to_s].uniq
          ends.each_cons(2).map { |from_s, to_s| range.with(from_s:, to_s:) }
        end

        def starts_at_once(series_ids)
          return STARTS unless series_ids
          (WINDOWS / [series_ids.size, 1].max).clamp(STARTS, MOST_STARTS)
        end

        def read(piece, ids)
          table = over_hosts?(piece, ids) ? :host_sums : :windows
          @connection.read do |db|
            start_s = Spans::Starts.looked_up(@connection, @codec, piece, ids[:series_id])
            rows = db[table].where(seconds: piece.seconds, start_s:, **ids)
            rows = rows.where(setting_id: setting_ids) if @settings
            rows.select(*one_id(ids[:series_id]), *keys, *columns, *figures(table))
              .group(*(:one_id if @apart), *keys, *step(piece.seconds)).all
          end
        end

        def over_hosts?(piece, ids)
          !@by_host && WindowRows::HostSums.for?(piece, ids, @connection.dialect)
        end

        # Not `settings.id`, which would add a setting that is not stored.
        def setting_ids
          @setting_ids ||= @codec.settings.load.select { |_, setting| @settings.include?(setting) }.keys
        end

        # Of the series that are summed together the id of one, which stands for all of them.
        # @param series_ids [Array<Integer>, nil] of the wanted series; nil: all
        # @return [Sequel::SQL::AliasedExpression, nil] nil unless some of them stay apart
        def one_id(series_ids)
          return unless @apart
          @one_id ||= begin
            series = @codec.series.load
            series = series.slice(*series_ids) if series_ids
            same = series.keys.group_by { |id| series[id].public_send(@apart) }.values
            @ones = same.flat_map { |ids| ids.map { |id| [id, ids.first] } }.to_h
            ones = same.reject(&:one?).map { |ids| [{series_id: ids}, ids.first] }
            (ones.any? ? Sequel.case(ones, :series_id) : Sequel[:series_id]).as(:one_id)
          end
        end

        def keys
          [*(:series_id unless @together), :setting_id, *(:host_id if @by_host)]
        end

        def step(seconds)
          return @step_s && :start_s if @step_s == seconds
          @step_s && Sequel[:start_s].sql_number - Sequel[:start_s].sql_number % @step_s
        end

        def columns
          @columns ||= [
            *[*COUNTS, *@numbers].map { |name| Sequel.function(:sum, name).as(name) },
            *@histograms.map { |name| @connection.dialect.concatenated(name).as(name) },
            Sequel.function(:min, :start_s).as(:min_start_s),
            Sequel.function(:max, :start_s).as(:max_start_s)
          ]
        end

        def figures(table)
          (first_host, last_host), windows = FIGURES.fetch(table)
          [Sequel.function(:min, first_host).as(:min_host_id),
            Sequel.function(:max, last_host).as(:max_host_id), windows.as(:windows)]
        end

        # Histograms stay encoded until all pieces are read, because decoding them once is much faster.
        def merge(row, seconds)
          row[:end_s] = row[:max_start_s] + seconds
          row[:covered_s] = row[:windows].to_i * seconds
          @histograms.each { |name| row[name] = @connection.dialect.concatenation(row[name]) }
          origin = row.values_at(:one_id, :series_id, :setting_id, :host_id)
          key = [*origin, @step_s && row[:min_start_s] / @step_s]
          known = @rows[key]
          @rows[key] = known ? known.merge!(row) { |name, one, other| merge_column(name, one, other) } : row
        end

        def merge_column(name, one, other)
          case name
          when :one_id, :series_id, :setting_id, :host_id then one
          when :min_start_s, :min_host_id then [one, other].min
          when :max_start_s, :max_host_id, :end_s then [one, other].max
          else one + other
          end
        end

        def span_sum(row)
          start_s = row[:min_start_s]
          window = Window.new(
            start_s:, seconds: row[:end_s] - start_s, series: series(row),
            setting: @codec.settings.value(row[:setting_id]), host: host(row), count: row[:count].to_i,
            errors: row[:errors].to_i, sums: sums(row), histograms: histograms(row)
          )
          SpanSum.new(window:, covered_s: row[:covered_s])
        end

        def series(row)
          id = row[:one_id] || row[:series_id] or return @together
          @series[id] ||= SpanSum.named(@codec.series.value(id), @together, @apart)
        end

        # Sums of integers are decimals in some databases.
        def sums(row)
          return NO_SUMS if @numbers.empty?
          NO_SUMS.merge(row.slice(*@numbers).transform_values(&:to_i)).freeze
        end

        def histograms(row)
          return EMPTY if @histograms.empty?
          EMPTY.merge(@histograms.to_h { |name| [name, histogram(name, row[name])] }).freeze
        end

        def histogram(name, bytes)
          @heads.include?(name) ? Histogram::Codec.load_head_sum(bytes) : Histogram.load_sum(bytes)
        end

        def host(row)
          @codec.hosts.value(row[:min_host_id]) if row[:min_host_id] == row[:max_host_id]
        end
      end
    end
  end
end
