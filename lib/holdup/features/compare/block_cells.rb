# frozen_string_literal: true

module Holdup
  module Compare
    # Sums and histograms of one side's units by endpoint and block, to be added up for any draw of blocks.
    class BlockCells
      # `numbers`: sums in the order of NUMBERS; `spreads`: {name => WeightedHistogram} of those known
      BlockCell = Data.define(:numbers, :spreads)

      # Distributions of all strata, without the buckets below and above those of all blocks: most have a
      # fourth of the buckets, and a draw has to add up only these.
      # - `first`: number of the bucket in the first column; `strata`: [WeightedRows] in their order
      SpreadRows = Data.define(:first, :strata) do
        # @param rows [Array<Array<(Integer, Array<Numeric>), nil>>] by stratum and block
        def self.of(rows)
          known = rows.flatten(1).select { |row| row&.last&.any? }
          first = known.map(&:first).min.to_i
          columns = known.map { |from, masses| from + masses.size }.max.to_i - first
          new(first:, strata: rows.map { |own|
            shifted = own.map { |from, masses| [from - first, masses] if masses&.any? }
            WeightedRows.new(shifted, columns)
          })
        end
      end
      # Figures of single units; the others are of all units. `wait` is queued + stalled, `response` is queued
      # + elapsed.
      SINGLE = {
        wait: ->(unit) { unit.queued_ns.to_i + unit.stalled_ns },
        response: ->(unit) { unit.queued_ns.to_i + unit.wall_ns }
      }.freeze
      SPREADS = [:wall, :stalled, *SINGLE.keys].freeze
      NUMBERS = %i[count errors wall queued stalled cpu gc pool_wait].freeze

      attr_reader :strata

      # @param numbers [Array<Integer>] of the blocks that count
      # @param spreads [Array<Symbol>] those wanted, of SPREADS
      def initialize(side, strata:, blocks:, numbers:, spreads: SPREADS)
        @side = side
        @stratum_of = strata
        @strata = strata.to_a
        @blocks = blocks
        @numbers = numbers
        @spreads = spreads
        @index = numbers.each_with_index.to_h
      end

      def size = @index.size

      # @return [WeightedRows] sums of all strata side by side, those of each in the order of NUMBERS
      def sums
        @sums ||= begin
          none = Array.new(NUMBERS.size, 0)
          rows = Array.new(size) do |index|
            [0, strata.flat_map { |series| cells[[series, index]]&.numbers || none }]
          end
          WeightedRows.new(rows, NUMBERS.size * strata.size)
        end
      end

      # @param name [Symbol] one of the spreads that are wanted
      # @return [SpreadRows]
      def spread(name)
        @spread_rows ||= {}
        @spread_rows[name] ||= SpreadRows.of(strata.map { |series|
          Array.new(size) { |index| cells[[series, index]]&.spreads&.dig(name)&.row }
        })
      end

      # @return [WeightedRows] seconds, CPU time of the processes, units: of all endpoints together
      def totals
        @totals ||= begin
          rows = Array.new(size) do |index|
            [0, [seconds[index].to_f, process_cpu_ns[index].to_i, counts[index].to_i]]
          end
          WeightedRows.new(rows, 3)
        end
      end

      private

      def cells
        @cells ||= by_cell(@side.windows, &:start_s).to_h do |key, windows|
          [key, BlockCell.new(numbers: numbers(windows), spreads: spreads(key, windows))]
        end
      end

      # @param name [Symbol] of SINGLE
      # @return [Hash{Array(Series, Integer) => WeightedRows::WeightedHistogram}] by stratum and block
      def singles(name)
        @singles ||= {}
        @singles[name] ||= unit_samples.transform_values do |same|
          weighted = same.map { |unit| [SINGLE.fetch(name).call(unit), unit.weight] }
          WeightedRows::WeightedHistogram.weighted(weighted)
        end
      end

      def unit_samples
        @unit_samples ||= by_cell(@side.unit_samples) { |unit| unit.start_ns / NS }
      end

      # @return [Hash{Array(Series, Integer) => Array}] by stratum and index of the block
      def by_cell(records)
        placed = records.group_by { |record| [@stratum_of.of(record.series), index(yield(record))] }
        placed.reject { |(series, index), _| series.nil? || index.nil? }
      end

      def index(start_s)
        @index[@blocks.number(start_s)]
      end

      def numbers(windows)
        times = %i[wall queued stalled].map do |name|
          windows.sum { |window| window.histograms[name].sum }
        end
        gc_ns, pool_wait_ns = %i[gc_ns pool_wait_ns].map do |name|
          windows.sum { |window| window.sums[name] }
        end
        [windows.sum(&:count), windows.sum(&:errors), *times, cpu_ns(windows), gc_ns, pool_wait_ns]
      end

      def cpu_ns(windows)
        windows.sum { |window| window.sums[:cpu_ns] + window.sums[:native_ns] }
      end

      def spreads(key, windows)
        @spreads.to_h { |name|
          [name, SINGLE.key?(name) ? singles(name)[key] : histogram(name, windows)]
        }.compact
      end

      def histogram(name, windows)
        histogram = Histogram.sum(windows.map { |window| window.histograms[name] })
        WeightedRows::WeightedHistogram.of(histogram)
      end

      def seconds
        @seconds ||= by_block(@side.windows).to_h do |index, windows|
          [index, measured_s(index) || windows.uniq(&:start_s).sum(&:seconds)]
        end
      end

      def measured_s(index)
        return if index.nil? || @side.coverage.nil?
        start_s = @numbers[index] * @blocks.length_s
        @side.coverage.seconds(start_s, start_s + @blocks.length_s)
      end

      # Nested units are in their outer units too, so their time is subtracted once.
      def process_cpu_ns
        @process_cpu_ns ||= by_block(@side.other_windows + @side.windows).transform_values do |windows|
          nested, others = windows.partition { |window| window.series.kind == :nested }
          cpu_ns(others) - cpu_ns(nested)
        end
      end

      def counts
        @counts ||= by_block(@side.windows).transform_values { |windows| windows.sum(&:count) }
      end

      def by_block(windows)
        windows.group_by { |window| index(window.start_s) }
      end

      # The endpoints (or job classes) that both sides have. Each is compared with itself, so that another
      # mix changes nothing. All but the largest form one stratum, whose own mix may change unnoticed.
      class Strata
        MOST = 30
        OTHERS = Series.new(kind: :overflow, name: "(others)")

        def initialize(before, after)
          @sides = [before, after]
          @common = @sides.map { |windows| windows.map(&:series).uniq }.reduce(:&)
        end

        def to_a
          @to_a ||= (@common.size > MOST) ? [*largest, OTHERS] : @common
        end

        # The stratum that counts the series; nil where one side does not have it.
        def of(series) = by_series[series]

        # Share of the units of each side that the other side does not have.
        def left_out
          @sides.map do |windows|
            all = windows.sum(&:count)
            others = windows.reject { |window| of(window.series) }.sum(&:count)
            all.zero? ? 0.0 : others.fdiv(all)
          end
        end

        private

        def by_series
          @by_series ||= @common.to_h do |series|
            alone = @common.size <= MOST || largest.include?(series)
            [series, alone ? series : OTHERS]
          end
        end

        # The strata with the most elapsed time.
        def largest
          @largest ||= begin
            windows = @sides.flatten.group_by(&:series).slice(*@common)
            wall_ns = windows.transform_values { |same| same.sum { |window| window.histograms[:wall].sum } }
            wall_ns.max_by(MOST) { |_, ns| ns }.map(&:first)
          end
        end
      end

      # The figures of one side when each of its blocks counts so many times: once each as measured, or as
      # drawn by the bootstrap. Each endpoint counts as often as the side before had units of it.
      class ResampledSide
        # Names and shares of the percentiles of each spread.
        PERCENTILES = SPREADS.to_h { |spread|
          [spread, Comparison::Metric::QUANTILES.map { |name, share| [:"#{spread}_#{name}", share] }.freeze]
        }.freeze
        COUNT = NUMBERS.index(:count)

        def initialize(cells, times)
          @cells = cells
          @times = times
          @sums = unpack(cells.sums) # all strata side by side
        end

        # @return [Array<Float>] units of each stratum, in their order
        def units
          @units ||= Array.new(@cells.strata.size) { |stratum| sum(stratum, COUNT) }
        end

        def counts = @cells.strata.zip(units).to_h

        # @param name [Symbol] of BlockCells::NUMBERS
        def means(name)
          at = NUMBERS.index(name)
          measured = @cells.strata.each_with_index.reject { |_, stratum| units[stratum].zero? }
          measured.to_h { |series, stratum| [series, sum(stratum, at).fdiv(units[stratum])] }
        end

        # @param mix [Array<Numeric>] units of each stratum, as of `units`
        # @param percentiles [Array<Symbol>] of the cells' spreads; they take most of the computing time
        # @return [Hash{Symbol => Float, nil}] by names of Metric
        def figures(mix, percentiles: [])
          weights = weights(mix)
          figures = {}
          percentiles.each { |spread| add_quantiles(figures, spread, weights) }
          add_means(figures, weights)
          add_totals(figures)
        end

        private

        # @param at [Integer] index of the number in NUMBERS
        def sum(stratum, at) = @sums[stratum * NUMBERS.size + at]

        def unpack(rows)
          rows.drawn(@times).unpack(WeightedRows::FORMAT)
        end

        # @return [Array<Float, nil>] weights of the strata that both sides have in a draw; nil: of others
        def weights(mix)
          own = units
          all = 0.0
          mix.each_with_index { |count, index| all += count if count.positive? && own[index].positive? }
          mix.each_with_index.map { |count, index| count / all if count.positive? && own[index].positive? }
        end

        def add_quantiles(figures, spread, weights)
          rows = @cells.spread(spread)
          mix = mix(weights, rows.strata)
          PERCENTILES.fetch(spread).each do |name, share|
            column, within = WeightedRows.find(mix, share)
            figures[name] = column && WeightedRows::WeightedHistogram.value(rows.first + column, within)
          end
        end

        def mix(weights, strata)
          drawn = []
          kept = []
          strata.each_with_index do |masses, index|
            weight = weights[index]
            next if weight.nil? || masses.empty?
            drawn << masses.drawn(@times)
            kept << weight
          end
          WeightedRows.mix(drawn, kept)
        end

        def add_means(figures, weights)
          _, errors, wall, queued, stalled, cpu, gc, pool_wait = weighted_means(weights)
          figures[:wall_mean] = wall
          figures[:response_mean] = queued + wall
          figures[:wait_mean] = queued + stalled
          figures[:stalled_mean] = stalled
          figures[:cpu_unit] = cpu
          figures[:gc_unit] = gc
          figures[:errors] = errors
          figures[:pool_wait] = pool_wait
        end

        # Means in the order of BlockCells::NUMBERS.
        def weighted_means(weights)
          means = Array.new(NUMBERS.size, 0.0)
          weights.each_with_index do |weight, stratum|
            next unless weight
            count = units[stratum]
            NUMBERS.each_index { |at| means[at] += weight * sum(stratum, at) / count }
          end
          means
        end

        # @return [Hash] the figures
        def add_totals(figures)
          seconds, cpu_ns, units = unpack(@cells.totals)
          figures[:cpu_process] = units.zero? ? nil : cpu_ns.fdiv(units)
          figures[:throughput] = seconds.zero? ? nil : units.fdiv(seconds)
          figures
        end
      end
    end
  end
end
