# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # What the units of one side took, by endpoint and block, as plain numbers that are added up for any
      # draw of blocks.
      class BlockCells
        # `numbers`: of NUMBERS, sums; `spreads`: {name => Density}, of those that are known
        BlockCell = Data.define(:numbers, :spreads)
        # The same of all blocks, as Masses.
        Stratum = Data.define(:numbers, :spreads)
        # `wait`: queued + stalled, of those units of which that is known singly; the others of all units
        SPREADS = %i[wall stalled wait].freeze
        NUMBERS = %i[count errors wall queued stalled cpu gc].freeze
        NS = 1_000_000_000

        # @return [Array<Series>]
        attr_reader :strata

        # @param side [Side]
        # @param strata [Strata]
        # @param blocks [TimeBlocks]
        # @param numbers [Array<Integer>] of the blocks that count
        # @param spreads [Array<Symbol>] that are wanted
        def initialize(side, strata:, blocks:, numbers:, spreads: SPREADS)
          @spreads = spreads
          @side = side
          @places = strata
          @strata = strata.to_a
          @blocks = blocks
          @numbers = numbers
          @index = numbers.each_with_index.to_h
        end

        # @return [Integer] blocks
        def size = @index.size

        # @return [Hash{Series => Stratum}]
        def to_h
          @to_h ||= strata.to_h { |series|
            [series, stratum((0...size).map { |index| cells[[series, index]] })]
          }
        end

        # @return [WeightedRows] seconds, CPU time of the processes, units; whatever the endpoint
        def around
          @around ||= begin
            rows = (0...size).map { |index| [seconds[index].to_f, processes[index].to_i, counts[index].to_i] }
            WeightedRows.new(rows.map { |row| [0, row] }, 3)
          end
        end

        private

        def stratum(found)
          numbers = WeightedRows.new(found.map { |cell| cell && [0, cell.numbers] }, NUMBERS.size)
          spreads = @spreads.to_h { |name|
            [name, WeightedRows.new(found.map { |cell| cell && cell.spreads[name]&.row }, WeightedRows::WeightedHistogram::SIZE)]
          }
          Stratum.new(numbers:, spreads:)
        end

        def cells
          @cells ||= by_place(@side.windows, &:start_s).to_h { |key, windows|
            [key, BlockCell.new(numbers: numbers(windows), spreads: spreads(key, windows))]
          }
        end

        def waits
          @waits ||= by_place(@side.profiles) { |profile| profile.start_ns / NS }.transform_values do |profiles|
            WeightedRows::WeightedHistogram.weighted(profiles.map { |profile|
              [profile.stalled_ns + profile.queued_ns.to_i,
                profile.weight]
            })
          end
        end

        def by_place(things)
          placed = things.group_by { |thing| [@places.of(thing.series), index(yield(thing))] }
          placed.reject { |(series, index), _| series.nil? || index.nil? }
        end

        def index(start_s) = @index[@blocks.number(start_s)]

        def numbers(windows)
          histograms = %i[wall queued stalled].map { |name|
            windows.sum { |window| window.histograms[name].sum }
          }
          [windows.sum(&:count), windows.sum(&:errors), *histograms, cpu(windows),
            windows.sum { |window| window.sums[:gc_ns] }]
        end

        def cpu(windows)
          windows.sum { |window| window.sums[:cpu_ns] + window.sums[:native_ns] }
        end

        def spreads(key, windows)
          @spreads.to_h { |name| [name, (name == :wait) ? waits[key] : spread(name, windows)] }.compact
        end

        def spread(name, windows)
          WeightedRows::WeightedHistogram.of(Histogram.sum(windows.map { |window| window.histograms[name] }))
        end

        def seconds
          @seconds ||= by_block(@side.windows).to_h do |index, windows|
            [index, covered_s(index) || windows.uniq(&:start_s).sum(&:seconds)]
          end
        end

        def covered_s(index)
          return if index.nil? || @side.coverage.nil?
          start_s = @numbers[index] * @blocks.length_s
          @side.coverage.seconds(start_s, start_s + @blocks.length_s)
        end

        # What units inside units took is in twice.
        def processes
          @processes ||= by_block(@side.beside + @side.windows).transform_values do |windows|
            nested, others = windows.partition { |window| window.series.kind == :nested }
            cpu(others) - cpu(nested)
          end
        end

        def counts
          @counts ||= by_block(@side.windows).transform_values { |windows| windows.sum(&:count) }
        end

        def by_block(windows)
          windows.group_by { |window| index(window.start_s) }
        end

        # The endpoints (or job classes) that both sides have: each is compared with itself, so that another mix
        # of them is no change of theirs. Beyond the largest they are one, in which the mix may change unseen.
        class Strata
          MOST = 30
          OTHERS = Series.new(kind: :overflow, name: "(others)")

          # @param before [Array<Window>]
          # @param after [Array<Window>]
          def initialize(before, after)
            @sides = [before, after]
            @common = @sides.map { |windows| windows.map(&:series).uniq }.reduce(:&)
          end

          # @return [Array<Series>]
          def to_a
            @to_a ||= (@common.size > MOST) ? [*largest, OTHERS] : @common
          end

          # @param series [Series]
          # @return [Series, nil] where it is counted; nil: nowhere, because one side has none of it
          def of(series) = places[series]

          # @return [Array<Float>] share of the units of each side that the other has none of
          def left_out
            @sides.map do |windows|
              all = windows.sum(&:count)
              all.zero? ? 0.0 : windows.reject { |window| of(window.series) }.sum(&:count).fdiv(all)
            end
          end

          private

          def places
            @places ||= @common.to_h { |series|
              [series, (@common.size <= MOST || largest.include?(series)) ? series : OTHERS]
            }
          end

          def largest
            @largest ||= begin
              wall = @sides.flatten.group_by(&:series).slice(*@common).transform_values { |same|
                same.sum { |window| window.histograms[:wall].sum }
              }
              wall.max_by(MOST) { |_, ns| ns }.map(&:first)
            end
          end
        end

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
              Metric::QUANTILES.map { |quantile, share| [:"#{what}_#{quantile}", WeightedRows.find(mix, share)&.then { |found| WeightedRows::WeightedHistogram.value(*found) }] }
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
end
