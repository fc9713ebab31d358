# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # All units together: mean, percentiles and worst of everything that has a histogram.
      class DistributionTable < SectionBase
        QUANTILES = [0.5, 0.9, 0.95, 0.99].freeze
        SHOWN = %i[wall running stalled idle queued longest_hold].freeze

        # @return [Section]
        def call
          Section.new(title: word(:distributions), columns: [word(:per_unit), word(:mean), "p50", "p90", "p95", "p99", word(:max)],
            rows: SHOWN.map { |key| [word(:"histogram_#{key}"), *figures(summary.total.histogram(key))] }, notes: unmeasured)
        end

        private

        def figures(histogram)
          [histogram.mean, *QUANTILES.map { |q| histogram.quantile(q) }, histogram.max].map { |value|
            duration(value)
          }
        end

        def unmeasured
          summary.total.histogram(:queued).count.zero? ? [word(:queued_unknown)] : []
        end
      end
    end
  end
end
