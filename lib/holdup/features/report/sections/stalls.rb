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

          # @return [View::Section, nil] nil where no thread waited: it would be a table of zeros
          def call
            return if blame.whole_ns.zero?
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

        # Who stalled whom, for the pairs that matter.
        class StallPairTable < View::SectionBase
          include PartyNames

          PARTS = [:pairs].freeze

          # Smallest shares of the victim's stall and of all stall at which a pair is shown.
          SHARE = 0.05
          STALL = 0.01
          COLUMNS = %i[pair_names pair_share pair_stall].freeze

          # @return [View::Section, nil] nil where nobody waited
          def call
            return if summary.blame.units_suffered_ns.zero?
            return unrecorded if summary.pairs.empty?
            return if notable.flat_map { |pair| [pair.causer, pair.victim] }.select(&:named?).uniq.size < 2
            View::Section.new(title: word(:pairs), columns: COLUMNS.map { |key| word(key) },
              rows: kept.map { |pair| row(pair) }, notes: [*sentences, word(:pairs_note)])
          end

          private

          def unrecorded
            View::Section.new(title: word(:pairs), columns: [], rows: [], notes: [word(:pairs_unrecorded)])
          end

          def notable
            least_ns = STALL * summary.blame.suffered_ns
            @notable ||= summary.pairs.select do |pair|
              pair.victim.unit? && pair.share >= SHARE && pair.ns >= least_ns
            end
          end

          def kept = notable.first(limit)

          def row(pair)
            names = "#{party(pair.causer)} -> #{party(pair.victim)}"
            [names, View::Figures.bare_share(pair.share), duration(pair.ns)]
          end

          # One sentence for each of the first victims.
          def sentences
            kept.select(&:named?).uniq(&:victim).first(SENTENCES).map { |pair| sentence(pair) }
          end

          def sentence(pair)
            causer, victim = [pair.causer, pair.victim].map { |one| View::Width.truncate(party(one), NAME) }
            share = "#{(pair.share * 100).round} %"
            (pair.causer == pair.victim) ? word(:pair_sentence_self, causer:, share:) :
              word(:pair_sentence, causer:, victim:, share:)
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

      # Who waited for whom: a row for each victim, threads outside of units among them, and a column for each
      # causer. What is not in these columns, and what of a victim's stall has no causer yet, has columns of
      # its own, so that every line adds up to the measured total.
      class Stalls::StallMatrix < View::SectionBase
        include PartyNames

        PARTS = [:pairs].freeze

        # A page has no room for more columns.
        CAUSERS = 4
        NAME = 28
        TITLE = 20
        # Titles of the columns after those of the causers.
        LAST = %i[matrix_others party_nobody matrix_rest all].freeze

        # @param link [#call] makes a link to the page of a party of requests or jobs; nil: its rows are text
        def initialize(summary, link: nil, **options)
          super(summary, **options)
          @link = link
        end

        # @return [View::Section, nil] nil without pairs
        def call
          return if summary.pairs.none?(&:named?)
          View::Section.new(title: word(:matrix), columns:, rows: victims.map { |victim| row(victim) },
            notes: [word(:matrix_note)])
        end

        private

        def columns
          named = causers.map { |one| View::Width.truncate(party(one), self.class::TITLE) }
          [word(:matrix_victim), *named, *self.class::LAST.map { |key| word(key) }]
        end

        def by_victim
          @by_victim ||= summary.pairs.group_by(&:victim)
        end

        def causers
          @causers ||= begin
            by_causer = summary.pairs.select(&:named?).group_by(&:causer)
            by_causer.max_by(self.class::CAUSERS) { |_, same| same.sum(&:ns) }.map(&:first)
          end
        end

        def victims
          by_victim.keys.max_by(limit) { |victim| by_victim[victim].sum(&:ns) }
        end

        def row(victim)
          pairs = by_victim.fetch(victim)
          shown, rest = pairs.partition { |pair| causers.include?(pair.causer) }
          nobody, others = rest.partition { |pair| pair.causer.kind == :nobody }
          found = causers.map { |causer| shown.find { |pair| pair.causer == causer }&.ns.to_i }
          figures = [*found, others.sum(&:ns), nobody.sum(&:ns)]
          whole_ns = [pairs.first.suffered_ns, figures.sum].max
          parts = columns_of(figures, whole_ns).map { |ns| heat(ns, whole_ns) }
          [name(victim), *parts, duration(whole_ns)]
        end

        # @param figures [Array<Integer>] ns of the causers shown, of others and of nobody
        # @return [Array<Integer>] ns of each column that is a part of the whole
        def columns_of(figures, whole_ns) = [*figures, whole_ns - figures.sum]

        def heat(ns, whole_ns)
          share = whole_ns.zero? ? 0.0 : ns.fdiv(whole_ns)
          View::Blocks::Heat.new(text: duration(ns), share:)
        end

        # A whole name would have to be cut.
        def party(party) = super.sub(View::MainWait::ENDING, "")

        def name(victim)
          text = View::Width.truncate(party(victim), self.class::NAME)
          link = @link.call(victim) if @link && victim.unit?
          link.is_a?(View::Blocks::Link) ? link.with(text:) : text
        end
      end

      # The same with fewer columns, beside a chart: what is still running is among the others.
      class Stalls::BriefStallMatrix < Stalls::StallMatrix
        CAUSERS = 3
        NAME = 28
        TITLE = 24
        LAST = %i[matrix_others matrix_handoff all].freeze
        # Those who cause a smaller share of the stall than this are among the others, but for the first.
        WORTH = 0.05

        def call = super&.with(title: word(:matrix_brief), notes: [])

        private

        def causers
          @strong ||= begin
            first, *others = super
            least_ns = WORTH * summary.pairs.sum(&:ns)
            [first, *others.select { |causer| caused_ns(causer) >= least_ns }]
          end
        end

        def caused_ns(causer) = summary.pairs.sum { |pair| (pair.causer == causer) ? pair.ns : 0 }

        # Requests and jobs first: people wait for these.
        def victims
          units, threads = by_victim.keys.sort_by { |victim| -by_victim[victim].sum(&:ns) }.partition(&:unit?)
          [*units, *threads].first(limit)
        end

        def columns_of(figures, whole_ns)
          *causers, others, nobody = figures
          [*causers, others + whole_ns - figures.sum, nobody]
        end
      end
    end
  end
end
