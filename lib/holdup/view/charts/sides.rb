# frozen_string_literal: true

module Holdup
  module View
    module Charts
      # The times of both sides of a comparison overlaid: an unchanged mean can hide that some units became
      # slower and others faster.
      class Sides
        HISTOGRAMS = %i[wall stalled].freeze

        # @param sides [Array<Analysis::Comparison::Side>] with units
        def initialize(sides, words:)
          @sides = sides
          @words = words
        end

        def call
          charts = HISTOGRAMS.to_h do |key|
            [word(:chart_spread, what: word(:"histogram_#{key}")), chart(key)]
          end
          Blocks::InlineCharts.new(charts:)
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def chart(key)
          bands = Analysis::HistogramBands::DurationBands.new(@sides.map { |side| histogram(side, key) })
          lines = @sides.zip(bands.counts).map do |side, counts|
            Chart::Line.new(label: side.label, values: shares(counts))
          end
          x = Chart::Axis.new(unit: :ns, values: bands.upto_ns, log: true)
          Chart.new(kind: :line, unit: :share, series: lines, x:)
        end

        def histogram(side, key)
          Histogram.sum(side.windows.map { |window| window.histograms.fetch(key) })
        end

        def shares(counts)
          all = counts.sum
          counts.map { |count| all.zero? ? nil : count.fdiv(all) }
        end
      end
    end
  end
end
