# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      module Stalls
        # Who stalled and who caused it, side by side, over the whole process: units, threads outside units,
        # hand-off. Where one side is ahead of the other, the difference has a row, so both columns come to
        # the same total.
        class BlameTable < View::SectionBase
          # It says which methods hold the GVL, too.
          def self.parts(summary) = MethodTable.parts(summary)

          ACCOUNTS = 6

          def call
            View::Section.new(title: word(:causes), columns:,
              rows: unit_rows + account_rows + nested_rows + [handoff_row, *gap_row],
              total: total_row, notes: [word(:causes_note), *notes, *holding_methods])
          end

          private

          def blame = summary.blame

          def holding_methods = MethodTable.new(summary, words: @words, limit:).sentences

          def columns
            [word(:by_name), word(:caused), "%", word(:suffered), "%", word(:stall_per_unit),
              word(:stall_per_acquisition)]
          end

          def unit_rows
            rows(blame.series, limit, :more_units) { |line| label(line.name, queue: line.queue) }
          end

          def account_rows
            rows(blame.accounts, ACCOUNTS, :more_threads) { |line| account_label(line.name) }
          end

          def rows(lines, most, rest)
            kept = lines.first(most).map { |line| cells(yield(line), line) }
            left = lines.drop(most)
            left.empty? ? kept : kept << rest_row(word(rest, count: View::Figures.count(left.size)), left)
          end

          def account_label(name)
            word(:account, name: label(name.delete_prefix("thread:")))
          end

          def cells(name, line)
            [name, *shares(line.caused, line.suffered), duration(line.stall_per_unit),
              duration(line.stall_per_acquisition)]
          end

          def rest_row(name, lines)
            [name, *shares(lines.sum(&:caused), lines.sum(&:suffered)), "", ""]
          end

          def nested_rows
            nested = blame.nested
            nested ? [[word(:nested), *shares(nested.caused, nested.suffered), "", ""]] : []
          end

          def handoff_row
            [word(:handoff), duration(blame.handoff_ns), bare(blame.handoff_share), "", "", "", ""]
          end

          # @return [Array<Array>] empty if the totals of both columns look the same
          def gap_row
            return [] unless gap?
            missing = [blame.caused_ns + blame.handoff_ns, blame.suffered_ns].map do |sum|
              missing_ns = blame.whole_ns - sum
              missing_ns.zero? ? ["", ""] : [duration(missing_ns), bare(portion(missing_ns))]
            end
            [[word(:causes_gap), *missing.flatten, "", ""]]
          end

          def gap?
            sums = [blame.caused_ns + blame.handoff_ns, blame.suffered_ns]
            sums.map { |sum| [duration(sum), bare(portion(sum))] }.uniq.size > 1
          end

          def total_row
            [word(:all), *shares(blame.whole_ns, blame.whole_ns), "", ""]
          end

          def notes
            outside_ns = blame.accounts.sum(&:suffered)
            units = duration(blame.units_suffered_ns)
            split = word(:causes_units, units:, threads: duration(outside_ns))
            [(split if outside_ns.positive?), (word(:causes_gap_note) if gap?)].compact
          end

          def shares(caused, suffered)
            [duration(caused), bare(portion(caused)), duration(suffered), bare(portion(suffered))]
          end

          def portion(value)
            blame.whole_ns.zero? ? 0.0 : value.fdiv(blame.whole_ns)
          end

          def bare(share) = View::Figures.bare_share(share)
        end

        # Who stalled whom: for the pairs that matter, an estimate between two certain bounds, if these are
        # informative.
        class StallPairTable < View::SectionBase
          PARTS = [:stalls].freeze

          # Smallest shares of the victim's stall and of all stall at which a pair is shown.
          SHARE = 0.05
          STALL = 0.01
          MOST = 8

          # @return [View::Section, nil] nil without two units that could stall each other
          def call
            return if notable.empty? || notable.flat_map { |pair| [pair.causer, pair.victim] }.uniq.one?
            return unknown if known.empty?
            View::Section.new(title: word(:pairs),
              columns: %i[pair pair_about pair_least pair_most pair_stall].map { |key| word(key) },
              rows: kept.map { |pair| row(pair) }, notes: [*sentences, word(:pairs_note), *left_out])
          end

          private

          def unknown
            View::Section.new(title: word(:pairs), columns: [], rows: [], notes: [word(:pairs_unknown)])
          end

          def notable
            least_ns = STALL * summary.blame.suffered_ns
            @notable ||= summary.pairs.select { |pair| pair.share >= SHARE && pair.about_ns >= least_ns }
          end

          def known
            @known ||= notable.select(&:informative?)
          end

          def kept = known.first([limit, MOST].min)

          def left_out
            count = notable.size - known.size
            count.zero? ? [] : [word(:pairs_left_out, count: View::Figures.count(count))]
          end

          def row(pair)
            ["#{series_label(pair.causer)} -> #{series_label(pair.victim)}",
              *[pair.share, pair.least_share, pair.most_share].map { |share|
                View::Figures.bare_share(share)
              },
              duration(pair.about_ns)]
          end

          # One sentence for each of the first victims.
          def sentences
            kept.uniq(&:victim).first(SENTENCES).map { |pair| sentence(pair) }
          end

          def sentence(pair)
            causer, victim = [pair.causer, pair.victim].map { |series|
              View::Width.truncate(series_label(series), NAME)
            }
            share = "#{(pair.share * 100).round} %"
            (pair.causer == pair.victim) ? word(:pair_sentence_self, causer:,
              share:) : word(:pair_sentence, causer:, victim:, share:)
          end

          def series_label(series)
            if series.kind == :account
              return word(:account,
                name: label(series.name.delete_prefix("thread:")))
            end
            label(series.name, queue: series.queue)
          end
        end

        # The composition of the stall that each caused: few long holds, which to shorten, or many short ones,
        # which to reduce in number; and the share of hand-off in all stall.
        class StallOriginTable < View::SectionBase
          # A thread that waits for a longer hold is late by more than a tick of the VM's clock.
          LONG_NS = 10_000_000

          COLUMNS = %i[acquisitions_each hold_mean hold_met hold_p95 preemptions_each made_of].freeze

          # @return [View::Section, nil] nil if there is none
          def call
            rows = summary.rows.select { |row| row.caused_ns.positive? }.max_by(limit, &:caused_ns)
            return if rows.empty?
            View::Section.new(title: word(:makings),
              columns: [title_of_names, word(:caused), *COLUMNS.map { |key| word(key) }],
              rows: rows.map { |row| [row_label(row), duration(row.caused_ns), *cells(row)] },
              notes: [word(:makings_note), handoff])
          end

          private

          def cells(row)
            [View::Figures.rate(row.per_unit(row.sum(:acquisitions))), duration(row.mean_hold),
              duration(row.met_hold), duration(row.histogram(:longest_hold).quantile(0.95)),
              View::Figures.rate(row.per_unit(row.sum(:preemptions))), made_of(row)]
          end

          def made_of(row)
            return View::Figures::NONE unless row.met_hold
            word((row.met_hold >= LONG_NS) ? :made_long : :made_short)
          end

          def handoff
            acquisitions = summary.blame.series.sum(&:acquisitions) +
              summary.blame.accounts.sum(&:acquisitions)
            word(:makings_handoff, share: View::Figures.share(summary.blame.handoff_share),
              sum: duration(summary.blame.handoff_ns),
              each: duration(acquisitions.zero? ? nil : summary.blame.handoff_ns.fdiv(acquisitions)))
          end
        end

        # How units wait before they start and how they use the GVL: queued, longest hold, acquisitions,
        # preemptions.
        class HoldTable < View::SectionBase
          def call
            columns = %i[queued_p50 queued_p95 hold_p95 hold_max acquisitions_each preemptions_each cpu_each]
            figures_section(:holds, columns.map { |key| word(key) }) { |row| cells(row) }
          end

          private

          def cells(row)
            [*quantiles(row, :queued, 0.5, 0.95), *quantiles(row, :longest_hold, 0.95),
              duration(row.histogram(:longest_hold).max),
              each_count(row, :acquisitions), each_count(row, :preemptions), each_unit(row, row.cpu_ns)]
          end

          def quantiles(row, key, *points)
            points.map { |q| duration(row.histogram(key).quantile(q)) }
          end

          def each_count(row, key)
            View::Figures.rate(row.per_unit(row.sum(key)))
          end
        end
      end

      # Caused against suffered stall: a row for each victim, a column for each cause. The remainder,
      # including pairs with too little data, has a row and a column of its own, so every line adds up to the
      # measured total.
      class Stalls::StallMatrix < View::SectionBase
        PARTS = [:stalls].freeze

        # A page has no room for more columns.
        CAUSERS = 4
        NAME = 28
        TITLE = 20

        # @return [View::Section, nil] nil without stall or known pairs
        def call
          return if known.empty?
          View::Section.new(title: word(:matrix),
            columns: [word(:matrix_victim), *causers.map { |series|
              View::Width.truncate(named(series), TITLE)
            },
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
            figures[index] = View::Figures::NONE if unknown.include?([causer, victim])
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
          View::Width.truncate(text, NAME)
        end
      end
    end
  end
end
