# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # The times of the two sides of a comparison over each other: a mean that stayed can hide that some
      # became slower and others faster.
      class Sides
        HISTOGRAMS = %i[wall stalled].freeze

        # @param sides [Array<Analysis::Comparison::Side>] with units
        # @param words [View::Words]
        def initialize(sides, words:)
          @sides = sides
          @words = words
        end

        # @return [PageCharts]
        def call
          PageCharts.new(charts: HISTOGRAMS.to_h { |key|
            [
              word(:chart_spread,
                what: word(:"histogram_#{key}")), chart(key)
            ]
          })
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def chart(key)
          spread = Analysis::DurationBands.new(@sides.map { |side| Histogram.sum(side.windows.map { |window| window.histograms.fetch(key) }) })
          lines = @sides.zip(spread.counts).map { |side, counts| Chart::Line.new(label: side.label, values: shares(counts)) }
          Chart.new(kind: :line, unit: :share, series: lines,
            x: Chart::Axis.new(unit: :ns, values: spread.upto_ns, log: true))
        end

        def shares(counts)
          counts.sum.then { |all| counts.map { |count| all.zero? ? nil : count.fdiv(all) } }
        end
      end
    end
  end
end
