# frozen_string_literal: true

module Holdup
  class Web
    # An advice in blocks, for the page and for a file: the answer, and what it stands on.
    class AdviceBlocks
      # @param sized [Queries::SizingInputs]
      # @param found [Array<Holdup::Advice::Finding>]
      # @param words [View::Words]
      # @param span [String]
      # @param kind [Symbol] of the units
      # @param limit [Integer] rows
      def initialize(sized, found, words:, span:, kind:, limit:)
        @sized = sized
        @found = found
        @words = words
        @kind = kind
        @span = span
        @limit = limit
      end

      # @return [String] what it is about
      def title = verdict.title

      # @return [Array<Object>] what to do
      def answer
        [Blocks::Lead.new(text: verdict.sentence), Blocks::Notes.new(texts: verdict.details), charts,
          candidates, pools, findings].compact
      end

      # @return [Array<Object>] how far it can be trusted, what bounds it, and what a rule of thumb would say
      def grounds
        [Blocks::Table.of(View::AdviceSelfTest.new(recommendation, words: @words).section),
          limits, amdahl].compact
      end

      private

      def word(key, **facts) = @words.call(key, **facts)

      def recommendation = @sized.recommendation

      def verdict
        @verdict ||= View::AdviceVerdict.new(recommendation, span: @span, words: @words, kind: @kind,
          summary: @sized.summary)
      end

      def charts
        Charts::Candidates.new(recommendation, words: @words).call
      end

      def candidates
        Blocks::Table.of(View::AdviceTable.new(recommendation, words: @words,
          limit: @limit).section)
      end

      def pools
        Blocks::Table.of(View::AdvicePools.new(recommendation, words: @words).section)
      end

      def findings
        Blocks::Findings.new(title: word(:advice_findings),
          items: View::AdviceFindings.new(@found, words: @words).to_a, none: word(:advice_no_findings))
      end

      def limits
        known = recommendation&.limits or return
        pairs = {vcpus: known.vcpus && View::Figures.rate(known.vcpus), memory: known.memory_limit_bytes && View::Figures.bytes(known.memory_limit_bytes),
                 pool: known.pool, connections: known.connections, hosts: known.hosts}
        Blocks::Facts.new(title: word(:limits_title),
          pairs: pairs.to_h { |key, value| [word(:"limit_#{key}"), value&.to_s || word(:not_known)] })
      end

      # Of the units that the advice is made from, where there is one.
      def amdahl
        known = recommendation&.recording&.demand
        share = (known || @sized.summary.total).idle_share
        section = View::Sections::AmdahlTable.new(@sized.summary, share:, words: @words,
          limit: @limit).call or return
        Blocks::Table.of(section, notes: known ? [verdict.amdahl] : section.notes)
      end
    end
  end
end
