# frozen_string_literal: true

module Holdup
  module View
    class Compare
      # A comparison on one screen: the verdict, what differs between the settings, the main figures, and the
      # endpoints that moved most.
      class Screen < Compare
        # Figures of the table besides those of the verdict.
        FIGURES = %i[wall_mean wall_p99 wait_p95 stalled_mean errors throughput].freeze
        ENDPOINTS = 3
        FACTS = 6
        # Columns of a sentence that may contain any name.
        SENTENCE = 220

        # How many sentences can be left out to fit a screen.
        def spare = remarks.texts.size

        # @param kept [Integer] of the sentences that can be left out
        # @return [Page]
        def page(kept = spare)
          full = super()
          texts = remarks.texts.first(kept).map { |text| Width.truncate(text, SENTENCE) }
          more = Blocks::Notes.new(texts: [@words.call(:screen_compare_more)])
          full.with(blocks: [full.blocks.first, remarks.with(texts:), *tables, more])
        end

        private

        def sections = []

        def tables
          sections = Sections.new(@comparison, words: @words, families: @families, limit: ENDPOINTS)
          sections.brief(judged | FIGURES, facts: FACTS)
        end
      end
    end
  end
end
