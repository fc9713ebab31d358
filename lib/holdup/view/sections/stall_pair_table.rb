# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Who stalled whom: for the pairs that matter, an estimate between two certain bounds, where these say
      # anything.
      class StallPairTable < SectionBase
        # Below these shares, of the victim's stall and of all stall, a pair is nobody's business.
        SHARE = 0.05
        STALL = 0.01
        MOST = 8
        SENTENCES = 3
        NAME = 40

        # @return [Section, nil] nil when there are no two that could stall each other
        def call
          return if notable.empty? || notable.flat_map { |pair| [pair.causer, pair.victim] }.uniq.one?
          return unknown if known.empty?
          Section.new(title: word(:pairs), columns: %i[pair pair_about pair_least pair_most pair_stall].map { |key| word(key) },
            rows: kept.map { |pair| row(pair) }, notes: [*sentences, word(:pairs_note), *left_out])
        end

        private

        def unknown
          Section.new(title: word(:pairs), columns: [], rows: [], notes: [word(:pairs_unknown)])
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
          count.zero? ? [] : [word(:pairs_left_out, count: Figures.count(count))]
        end

        def row(pair)
          ["#{series_label(pair.causer)} -> #{series_label(pair.victim)}",
            *[pair.share, pair.least_share, pair.most_share].map { |share| Figures.bare_share(share) }, duration(pair.about_ns)]
        end

        # One sentence for each of the first victims.
        def sentences
          kept.uniq(&:victim).first(SENTENCES).map { |pair| sentence(pair) }
        end

        def sentence(pair)
          causer, victim = [pair.causer, pair.victim].map { |series|
            Width.truncate(series_label(series), NAME)
          }
          share = "#{(pair.share * 100).round} %"
          (pair.causer == pair.victim) ? word(:pair_sentence_self, causer:,
            share:) : word(:pair_sentence, causer:, victim:, share:)
        end

        def series_label(series)
          return word(:account, name: label(series.name.delete_prefix("thread:"))) if series.kind == :account
          label(series.name, queue: series.queue)
        end
      end
    end
  end
end
