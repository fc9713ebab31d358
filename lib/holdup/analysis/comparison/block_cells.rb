# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # Sums and histograms of one side's units by endpoint and block, to be added up for any draw of blocks.
      class BlockCells
        # `numbers`: sums in the order of NUMBERS; `spreads`: {name => WeightedHistogram} of those known
        BlockCell = Data.define(:numbers, :spreads)
        Stratum = Data.define(:numbers, :spreads)
        # `wait` is queued + stalled, of single units; the others are of all units.
        SPREADS = %i[wall stalled wait].freeze
        NUMBERS = %i[count errors wall queued stalled cpu gc pool_wait].freeze
        NS = 1_000_000_000

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

        def to_h
          @to_h ||= strata.to_h do |series|
            [series, stratum(Array.new(size) { |index| cells[[series, index]] })]
          end
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

        def stratum(cells)
          numbers = WeightedRows.new(cells.map { |cell| cell && [0, cell.numbers] }, NUMBERS.size)
          spreads = @spreads.to_h do |name|
            rows = cells.map { |cell| cell && cell.spreads[name]&.row }
            [name, WeightedRows.new(rows, WeightedRows::WeightedHistogram::SIZE)]
          end
          Stratum.new(numbers:, spreads:)
        end

        def cells
          @cells ||= by_cell(@side.windows, &:start_s).to_h do |key, windows|
            [key, BlockCell.new(numbers: numbers(windows), spreads: spreads(key, windows))]
          end
        end

        def waits
          @waits ||= begin
            profiles = by_cell(@side.profiles) { |profile| profile.start_ns / NS }
            profiles.transform_values { |same| wait_histogram(same) }
          end
        end

        def wait_histogram(profiles)
          weighted = profiles.map do |profile|
            [profile.stalled_ns + profile.queued_ns.to_i, profile.weight]
          end
          WeightedRows::WeightedHistogram.weighted(weighted)
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
          @spreads.to_h { |name| [name, (name == :wait) ? waits[key] : spread(name, windows)] }.compact
        end

        def spread(name, windows)
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
          def initialize(cells, times)
            @cells = cells
            @times = times
            @sums = cells.to_h.transform_values { |stratum| unpack(stratum.numbers) }
          end

          def counts
            @sums.transform_values(&:first)
          end

          # @param name [Symbol] of BlockCells::NUMBERS
          def means(name)
            at = NUMBERS.index(name)
            measured = @sums.reject { |_, sums| sums.first.zero? }
            measured.transform_values { |sums| sums[at].fdiv(sums.first) }
          end

          # @param counts [Hash{Series => Numeric}] units of each endpoint in the mix
          # @param percentiles [Array<Symbol>] of the cells' spreads; they take most of the computing time
          # @return [Hash{Symbol => Float, nil}] by names of Metric
          def figures(counts, percentiles: [])
            weights = weights(counts)
            {**quantiles(weights, percentiles), **mean_figures(weights), **totals}
          end

          private

          def unpack(rows)
            rows.drawn(@times).unpack(WeightedRows::FORMAT)
          end

          # Weights of the endpoints that both sides have in this draw.
          def weights(counts)
            kept = counts.select { |series, count| count.positive? && @sums.fetch(series).first.positive? }
            all = kept.values.sum.to_f
            kept.transform_values { |count| count / all }
          end

          def quantiles(weights, spreads)
            spreads.each_with_object({}) do |spread, found|
              mix = mix(weights, spread)
              Metric::QUANTILES.each do |name, share|
                bucket = WeightedRows.find(mix, share)
                found[:"#{spread}_#{name}"] = bucket && WeightedRows::WeightedHistogram.value(*bucket)
              end
            end
          end

          def mix(weights, spread)
            rows = weights.to_h { |series, weight| [@cells.to_h[series].spreads.fetch(spread), weight] }
            rows.reject! { |masses, _| masses.empty? }
            WeightedRows.mix(rows.keys.map { |masses| masses.drawn(@times) }, rows.values)
          end

          def mean_figures(weights)
            errors, wall, queued, stalled, cpu, gc, pool_wait = weighted_means(weights).drop(1)
            {wall_mean: wall, response_mean: queued + wall, wait_mean: queued + stalled,
             stalled_mean: stalled, cpu_unit: cpu, gc_unit: gc, errors:, pool_wait:}
          end

          # Means in the order of BlockCells::NUMBERS.
          def weighted_means(weights)
            weights.each_with_object(Array.new(NUMBERS.size, 0.0)) do |(series, weight), means|
              sums = @sums[series]
              sums.each_with_index { |number, at| means[at] += weight * number / sums.first }
            end
          end

          def totals
            seconds, cpu_ns, units = unpack(@cells.totals)
            {cpu_process: units.zero? ? nil : cpu_ns.fdiv(units),
             throughput: seconds.zero? ? nil : units.fdiv(seconds)}
          end
        end
      end
    end
  end
end
