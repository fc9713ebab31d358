# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # The figures of one side when each of its blocks counts so many times: once each for what was measured,
      # as drawn for the bootstrap. Endpoints count as given, which is as many as the side before had of them.
      class ResampledSide
        # @param cells [BlockCells]
        # @param times [Array<Integer>] of each block
        def initialize(cells, times)
          @cells = cells
          @times = times
          @totals = cells.to_h.transform_values { |stratum| stratum.numbers.drawn(times).unpack(WeightedRows::FORMAT) }
        end

        # @return [Hash{Series => Float}] units of each endpoint
        def counts = @totals.transform_values(&:first)

        # @param name [Symbol] of BlockCells::NUMBERS
        # @return [Hash{Series => Float}] that of each unit of an endpoint
        def means(name)
          at = BlockCells::NUMBERS.index(name)
          @totals.reject { |_, total| total.first.zero? }.transform_values { |total|
            total[at].fdiv(total.first)
          }
        end

        # @param counts [Hash{Series => Numeric}] how many units of each endpoint there shall be
        # @param percentiles [Array<Symbol>] of which of the cells' spreads; most of the work
        # @return [Hash{Symbol => Float, nil}] by names of Metric
        def figures(counts, percentiles: [])
          weights = weights(counts)
          {**quantiles(weights, percentiles), **each(weights), **around}
        end

        private

        # Of what both sides have in this draw.
        def weights(counts)
          kept = counts.select { |series, count| count.positive? && @totals.fetch(series).first.positive? }
          all = kept.values.sum.to_f
          kept.transform_values { |count| count / all }
        end

        def mixed(weights, what)
          parts = weights.to_h { |series, weight|
            [@cells.to_h[series].spreads.fetch(what),
              weight]
          }.reject { |masses, _|
            masses.empty?
          }
          WeightedRows.mix(parts.keys.map { |masses| masses.drawn(@times) }, parts.values)
        end

        def quantiles(weights, spreads)
          spreads.flat_map { |what|
            mix = mixed(weights, what)
            Metric::QUANTILES.map { |quantile, share| [:"#{what}_#{quantile}", WeightedRows.find(mix, share)&.then { |found| WeightedHistogram.value(*found) }] }
          }.to_h
        end

        def each(weights)
          errors, wall, queued, stalled, cpu, gc = means_of(weights).drop(1)
          {wall_mean: wall, wait_mean: queued + stalled, stalled_mean: stalled, cpu_unit: cpu, gc_unit: gc,
           errors:}
        end

        # In the order of BlockCells::NUMBERS.
        def means_of(weights)
          weights.each_with_object(Array.new(BlockCells::NUMBERS.size, 0.0)) do |(series, weight), means|
            total = @totals[series]
            total.each_with_index { |number, at| means[at] += weight * number / total.first }
          end
        end

        # Of all units, as they were mixed.
        def around
          seconds, cpu_ns, units = @cells.around.drawn(@times).unpack(WeightedRows::FORMAT)
          {cpu_process: units.zero? ? nil : cpu_ns.fdiv(units),
           throughput: seconds.zero? ? nil : units.fdiv(seconds)}
        end
      end
    end
  end
end
