# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # How units wait before they start and how they use the GVL: queued, longest hold, acquisitions,
      # preemptions.
      class HoldTable < SectionBase
        # @return [Section]
        def call
          columns = %i[queued_p50 queued_p95 hold_p95 hold_max acquisitions_each preemptions_each cpu_each]
          figures_section(:holds, columns.map { |key| word(key) }) { |row| cells(row) }
        end

        private

        def cells(row)
          [*quantiles(row, :queued, 0.5, 0.95), *quantiles(row, :longest_hold, 0.95), duration(row.histogram(:longest_hold).max),
            each_count(row, :acquisitions), each_count(row, :preemptions), each_unit(row, row.sum(:cpu_ns))]
        end

        def quantiles(row, key, *points)
          points.map { |q| duration(row.histogram(key).quantile(q)) }
        end

        def each_count(row, key)
          Figures.rate(row.per_unit(row.sum(key)))
        end
      end
    end
  end
end
