# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Caused against suffered stall: a row for each victim, a column for each cause. The remainder,
      # including pairs with too little data, has a row and a column of its own, so every line adds up to the
      # measured total.
      class StallMatrix < SectionBase
        # A page has no room for more columns.
        CAUSERS = 4
        NAME = 28
        TITLE = 20

        # @return [Section, nil] nil without stall or known pairs
        def call
          return if known.empty?
          Section.new(title: word(:matrix),
            columns: [word(:matrix_victim), *causers.map { |series| Width.truncate(named(series), TITLE) },
              word(:matrix_rest), word(:all)],
            rows: [*victims.map { |victim| row(victim) }, others], total: [word(:all), *durations(totals)],
            notes: [word(:matrix_note)])
        end

        private

        def known
          @known ||= summary.pairs.select(&:informative?)
        end

        def pairs
          @pairs ||= known.to_h { |pair| [[pair.causer, pair.victim], pair.about_ns] }
        end

        def unknown
          @unknown ||= (summary.pairs - known).to_set { |pair| [pair.causer, pair.victim] }
        end

        def causers
          @causers ||= begin
            by_causer = known.group_by(&:causer)
            by_causer.max_by(CAUSERS) { |_, same| same.sum(&:about_ns) }.map(&:first)
          end
        end

        def victims
          @victims ||= known.group_by(&:victim).keys.first(limit)
        end

        def row(victim)
          figures = durations(cells(victim))
          causers.each_with_index do |causer, index|
            figures[index] = Figures::NONE if unknown.include?([causer, victim])
          end
          [named(victim), *figures]
        end

        def cells(victim)
          with_rest(causers.map { |causer| pairs.fetch([causer, victim], 0) }, line(victim)&.suffered.to_i)
        end

        def others
          rows = totals.zip(*victims.map { |victim| cells(victim) })
          [word(:matrix_others), *durations(rows.map { |whole, *parts| whole - parts.sum })]
        end

        def totals
          @totals ||= with_rest(causers.map { |causer| line(causer)&.caused.to_i }, summary.blame.suffered_ns)
        end

        def with_rest(parts, whole)
          [*parts, whole - parts.sum, whole]
        end

        def durations(figures)
          figures.map { |ns| duration(ns) }
        end

        def line(series)
          (summary.blame.series + summary.blame.accounts).find { |one|
            [one.name, one.kind, one.queue] == [series.name, series.kind, series.queue]
          }
        end

        def named(series)
          text = (series.kind == :account) ? word(:account,
            name: label(series.name.delete_prefix("thread:"))) : label(series.name, queue: series.queue)
          Width.truncate(text, NAME)
        end
      end
    end
  end
end
