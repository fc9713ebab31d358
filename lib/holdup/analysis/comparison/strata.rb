# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
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
    end
  end
end
