# frozen_string_literal: true

module Holdup
  module View
    # Advice as a page: the answer, then its evidence.
    class Advice
      # @param span [String] of time, in words
      # @param kind [Symbol] of the units
      # @param limit [Integer] rows of the table of settings
      # @param again [String, nil] options that make other commands look at the same data
      # @param within_s [Integer] in which jobs are to begin
      def initialize(sized, findings, words:, span:, kind:, limit:, again: nil,
        within_s: Sizing::JobDeadlines::WITHIN_S)
        @sized = sized
        @findings = findings
        @words = words
        @kind = kind
        @span = span
        @limit = limit
        @again = again
        @within_s = within_s
      end

      # @return [Page]
      def page
        Page.new(title:, blocks: answer + grounds)
      end

      def title = verdict.title

      # @return [Array<Object>] what to do
      def answer
        [Blocks::Lead.new(text: verdict.sentence), Blocks::Notes.new(texts: verdict.details), charts,
          candidates, pools, deadlines, findings].compact
      end

      # @return [Array<Object>] reliability, limits, and the rules of thumb for comparison
      def grounds
        [AdviceTable::SelfTest.new(recommendation, words: @words).section, limits, amdahl].compact
      end

      private

      def word(key, **facts) = @words.call(key, **facts)

      def recommendation = @sized.recommendation

      def verdict
        @verdict ||= AdviceVerdict.new(recommendation, span: @span, words: @words, kind: @kind,
          summary: @sized.summary)
      end

      def charts
        Charts::Candidates.new(recommendation, words: @words).call
      end

      def candidates
        AdviceTable.new(recommendation, words: @words, limit: @limit).section
      end

      def pools
        AdviceTable::Pools.new(recommendation, words: @words).section
      end

      def deadlines
        return unless recommendation
        needs = Sizing::JobDeadlines.new(recommendation, within_s: @within_s)
        AdviceTable::Deadlines.new(needs, words: @words, limit: @limit).section
      end

      def findings
        items = AdviceFindings.new(@findings, words: @words).to_a
        hints = @again ? [word(:advice_again, options: Width.clean(@again))] : []
        Blocks::Findings.new(title: word(:advice_findings), items:, none: word(:advice_no_findings), hints:)
      end

      def limits
        known = recommendation&.limits or return
        figures = {vcpus: known.vcpus && Figures.rate(known.vcpus),
                   memory: known.memory_limit_bytes && Figures.bytes(known.memory_limit_bytes),
                   pool: known.pool, connections: known.connections, hosts: known.hosts}
        pairs = figures.to_h { |key, value| [word(:"limit_#{key}"), value&.to_s || word(:not_known)] }
        Blocks::Facts.new(title: word(:limits_title), pairs:)
      end

      # For the units that the advice is based on, if any.
      def amdahl
        demand = recommendation&.recording&.demand
        share = (demand || @sized.summary.total).idle_share
        section = Sections::Times::AmdahlTable.new(@sized.summary, share:, words: @words, limit: @limit).call
        (section && demand) ? section.with(notes: [verdict.amdahl]) : section
      end
    end
  end
end
