# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # What the stall that each caused is made of: few long holds, which have to be cut, or many short ones,
      # which have to become fewer; and how much of all stall is hand-off.
      class StallOriginTable < SectionBase
        # Whoever waits for one that long is late by more than the VM's own clock ticks.
        LONG_NS = 10_000_000

        # @return [Section, nil] nil where nobody caused any
        def call
          rows = summary.rows.select { |row| row.caused_ns.positive? }.max_by(limit, &:caused_ns)
          return if rows.empty?
          Section.new(title: word(:makings), columns: [title_of_names, word(:caused), *%i[acquisitions_each hold_mean hold_met hold_p95 preemptions_each made_of].map { |key| word(key) }],
            rows: rows.map { |row| [row_label(row), duration(row.caused_ns), *cells(row)] }, notes: [word(:makings_note), handoff])
        end

        private

        def cells(row)
          [Figures.rate(row.per_unit(row.sum(:acquisitions))), duration(row.mean_hold), duration(row.met_hold), duration(row.histogram(:longest_hold).quantile(0.95)),
            Figures.rate(row.per_unit(row.sum(:preemptions))), made_of(row)]
        end

        def made_of(row)
          return Figures::NONE unless row.met_hold
          word((row.met_hold >= LONG_NS) ? :made_long : :made_short)
        end

        def handoff
          acquisitions = summary.blame.series.sum(&:acquisitions) + summary.blame.accounts.sum(&:acquisitions)
          word(:makings_handoff, share: Figures.share(summary.blame.handoff_share), sum: duration(summary.blame.handoff_ns),
            each: duration(acquisitions.zero? ? nil : summary.blame.handoff_ns.fdiv(acquisitions)))
        end
      end
    end
  end
end
