# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # Parts of the pages of endpoints and of jobs, which show the same figures.
      module Units
        FIGURES = {
          count: Figure.new(word: :units, csv: "count", tell: :short_count, read: ->(row, _) { row.count }),
          rate: Figure.new(word: :rate_column, csv: "per_second", tell: :rate,
            read: ->(row, summary) { summary.throughput(row.count) }),
          wall: Figure.new(word: :of_time, csv: "wall_share", tell: :share,
            read: ->(row, summary) { row.wall_ns.fdiv([summary.total.wall_ns, 1].max) }),
          p50: Figure.quantile(:p50, "wall_p50_ns", :wall, 0.5),
          p95: Figure.quantile(:p95, "wall_p95_ns", :wall, 0.95),
          p99: Figure.quantile(:p99, "wall_p99_ns", :wall, 0.99),
          suffered: Figure.new(word: :suffered, csv: "stalled_ns", read: ->(row, _) { row.stalled_ns }),
          caused: Figure.new(word: :caused, csv: "caused_ns", read: ->(row, _) { row.caused_ns }),
          each: Figure.new(word: :stall_per_unit, csv: "stalled_mean_ns",
            read: ->(row, _) { row.per_unit(row.stalled_ns) }),
          acquisitions: Figure.new(word: :acquisitions_each, csv: "acquisitions_mean", tell: :rate,
            read: ->(row, _) { row.per_unit(row.sum(:acquisitions)) }),
          acquisition: Figure.new(word: :stall_per_acquisition, csv: "stalled_per_acquisition_ns",
            read: ->(row, _) { row.stall_per_acquisition }),
          hold: Figure.new(word: :hold_max, csv: "longest_hold_max_ns",
            read: ->(row, _) { row.histogram(:longest_hold).max }),
          queued: Figure.quantile(:queued_p95, "queued_p95_ns", :queued, 0.95),
          errors: Figure.new(word: :errors, csv: "errors", tell: :short_count,
            read: ->(row, _) { row.errors })
        }.freeze
      end
    end
  end
end
