# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Recorded single units, each with its weight: the number of measured units that it stands for.
      class WeightedSample
        NORMAL = Analysis::BootSpread::NORMAL

        # @param values [Array<(Numeric, Float)>] of a unit, and its weight
        # @return [Numeric, nil] smallest value that this share of all units does not exceed; nil without
        #   units
        def self.quantile(values, share)
          values = values.sort_by(&:first)
          left = share * values.sum(&:last)
          values.find { |_, weight| (left -= weight) <= 0 }&.first
        end

        def self.mean(values)
          values.sum { |value, weight| value * weight } / values.sum(&:last)
        end

        def initialize(weighted)
          @members = weighted.map(&:first)
          sum = 0.0
          @bounds = weighted.map { |_, weight| sum += weight }
          @guide = guide
        end

        def draw(random)
          at(random.rand * @bounds.last)
        end

        # Each as often as its weight says, as nearly as possible: the mean of a figure by which the members
        # are sorted is that of all, without the chance of single draws. Source: systematic sampling (Cochran,
        # Sampling Techniques, chapter 8).
        # @return [Array<Object>] in any order
        def spread(count, random)
          step = @bounds.last / count
          first = random.rand * step
          Array.new(count) { |index| at(first + index * step) }.shuffle(random:)
        end

        private

        # A draw looks at few members with as many equal parts of all weights as there are members. Source:
        # indexed search (Chen and Asau, On generating random variates from an empirical distribution, 1974).
        # @return [Array<Integer>] index of the member at which each part begins
        def guide
          index = 0
          Array.new(@bounds.size) do |part|
            begin_at = part * @bounds.last / @bounds.size
            index += 1 until @bounds[index] > begin_at || index + 1 == @bounds.size
            index
          end
        end

        # The first one whose bound is beyond it. The last one where no weight is above 0.
        def at(chosen)
          last = @bounds.size - 1
          index = chosen.positive? ? @guide[[(chosen / @bounds.last * @bounds.size).to_i, last].min] : 0
          index -= 1 while index > 0 && @bounds[index - 1] > chosen
          index += 1 while index < last && @bounds[index] <= chosen
          @members[index]
        end
      end
    end
  end
end
