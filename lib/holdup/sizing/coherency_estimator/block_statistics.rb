# frozen_string_literal: true

module Holdup
  module Sizing
    module CoherencyEstimator::BlockStatistics
      # Compares units of one series and one block of time, so that neither another mix nor another hour (a
      # nightly batch of the same name, a slower machine) looks like growth. Blocks count as independent.
      #
      # While arrivals wait for answers, the number in flight stays what it is within a block. The client
      # changes it, whatever units take, so there the moments of ten minutes are compared.
      class UnitGroups
        # Of a unit of a closed load: the cell counts as independent, and cells of an era are compared.
        ClosedTime = Data.define(:cell, :era) do
          def self.of(unit)
            second = unit.start_ns / NS
            new(cell: second / ClosedLoad::CELL_S, era: [:closed, second / BLOCK_S.max.to_i])
          end
        end

        NS = 1_000_000_000
        # Number of blocks if there are units enough; ten minutes each if the recording exceeds five hours.
        BLOCKS = 30
        BLOCK_S = (10.0..600.0)
        UNITS = 50
        # A smaller part of the mean comes from adding numbers up.
        ROUNDING = 1e-9

        # @return [Array<Integer>] block of each unit
        attr_reader :blocks

        # @param closed [Set<UnitSample>] by identity: those of a ClosedLoad
        def initialize(profiles, closed: Set.new)
          first_ns, last_ns = profiles.map(&:start_ns).minmax
          # One more than the distance, so that the last unit does not get a block of its own.
          length_ns = block_ns(last_ns.to_i - first_ns.to_i + 1, profiles.size)
          times = profiles.map do |unit|
            closed.include?(unit) ? ClosedTime.of(unit) : ((unit.start_ns - first_ns) / length_ns).floor
          end
          @blocks = numbered(times)
          @groups = numbered(profiles.zip(times).map { |unit, time| [unit.series, compared(time)] })
          @weights = profiles.map(&:weight)
          @totals = by_group { 1.0 }
        end

        # The values of all units, each without the mean of its group. Equal values give exactly 0, because
        # an estimate divides by their variance.
        def centred(values)
          sums = by_group { |index| values[index] }
          Array.new(values.size) do |index|
            mean = sums[@groups[index]] / @totals[@groups[index]]
            left = values[index] - mean
            (left.abs <= ROUNDING * mean.abs) ? 0.0 : left
          end
        end

        # Sums a value of each unit index by block.
        # @param units [Enumerable<Integer>] indices of those that have one
        def by_block(units = @blocks.each_index)
          sums = Array.new(@blocks.max.to_i + 1, 0.0)
          units.each { |index| sums[@blocks[index]] += @weights[index] * yield(index) }
          sums
        end

        private

        def compared(time)
          time.is_a?(ClosedTime) ? time.era : time
        end

        def block_ns(span_ns, units)
          (span_ns.fdiv(NS) / (units / UNITS).clamp(1, BLOCKS)).clamp(BLOCK_S) * NS
        end

        def numbered(values)
          numbers = {}
          values.map { |value| numbers[value] ||= numbers.size }
        end

        def by_group
          sums = Array.new(@groups.max.to_i + 1, 0.0)
          @groups.each_with_index { |group, index| sums[group] += @weights[index] * yield(index) }
          sums
        end
      end

      # The value that blocks of time agree on, and its 90 % interval: all values for which the blocks' scores
      # are not too far from 0 for their variance.
      module ScoreInterval
        STEPS = 14
        Z = 1.6449

        module_function

        # @param blocks [Float] how many equal blocks would say as much
        # @yieldreturn [Array<Float>] the score of each block, which falls as the value rises
        # @return [Array<Float>] value, low, high
        def of(from, to, blocks, &)
          certain = student(blocks - 1)
          ratios = Hash.new { |known, value| known[value] = ratio(yield(value), blocks) }
          [0.0, certain, -certain].map { |bound| where(from, to, bound) { |value| ratios[value] } }
        end

        # The value at which the scores are `bound` standard errors above 0.
        def where(low, high, bound)
          return low if yield(low) < bound
          return high if yield(high) > bound
          STEPS.times do
            middle = (low + high) / 2
            (yield(middle) > bound) ? low = middle : high = middle
          end
          (low + high) / 2
        end

        def ratio(scores, blocks)
          total = scores.sum
          error = Math.sqrt(scores.sum { |score| (score - total / scores.size)**2 } * blocks / (blocks - 1))
          error.zero? ? 0.0 : total / error
        end

        # 95th percentile of Student's t (Cornish and Fisher's expansion, 1 % off at 3 degrees).
        def student(degrees)
          first = (Z**3 + Z) / (4 * degrees)
          second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * degrees**2)
          third = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / (384 * degrees**3)
          Z + first + second + third
        end
      end
    end
  end
end
