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
            [name, WeightedRows.new(found.map { |cell| cell && cell.spreads[name]&.row }, WeightedHistogram::SIZE)]
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
            WeightedHistogram.weighted(profiles.map { |profile|
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
          WeightedHistogram.of(Histogram.sum(windows.map { |window| window.histograms[name] }))
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
      end
    end
  end
end
