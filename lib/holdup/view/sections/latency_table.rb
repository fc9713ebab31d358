# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # How many, how fast, how many failed.
      class LatencyTable < SectionBase
        # @return [Section]
        def call
          figures_section(:latency, [word(:units), "/s", "p50", "p90", "p95", "p99", word(:errors)]) { |row|
            cells(row)
          }
        end

        private

        def cells(row)
          wall = [0.5, 0.9, 0.95, 0.99].map { |q| duration(row.histogram(:wall).quantile(q)) }
          [Figures.short_count(row.count), Figures.rate(summary.throughput(row.count)), *wall,
            Figures.short_count(row.errors)]
        end
      end
    end
  end
end
