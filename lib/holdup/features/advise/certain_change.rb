# frozen_string_literal: true

require "json"

module Holdup
  module Advise
    # What is certain of a change of threads, processes or the time slice where the self-test fails.
    class CertainChange
      # @param recommendation [Sizing::Recommendation] that has reasons to give no answer
      # @param change [Sizing::WhatIf::WhatIfChange]
      # @param refusal [AdviceRefusal]
      def initialize(recommendation, change, words:, refusal:)
        @recommendation = recommendation
        @change = change
        @words = words
        @refusal = refusal
      end

      # @param title [String]
      # @return [View::Page, nil] nil if nothing is certain
      def page(title:)
        sentence = text&.of_setting or return
        blocks = [View::Blocks::Lead.new(text: sentence), View::Blocks::Notes.new(texts: text.details),
          text.section]
        View::Page.new(title:, blocks:)
      end

      # @return [String, nil] for programs, in the keys of a WhatIfReport; nil if nothing is certain
      def json
        sentence = text&.of_setting or return
        context = {self_test: WhatIfReport.self_test(@recommendation.self_test),
                   amdahl_threads: @recommendation.amdahl,
                   unsupported: Sizing::WhatIf.new(@recommendation, @change).unsupported, bias: {},
                   misses: @recommendation.bias.misses}
        facts = {text: sentence, **WhatIfReport::NO_REPLAY, **context,
                 dominance: DominanceText::Json.call(found)}
        "#{JSON.pretty_generate(facts)}\n"
      end

      private

      def text
        return @text if defined?(@text)
        @text = found && DominanceText.new(found, words: @words, refusal: @refusal)
      end

      def found
        return unless @change.sizes_only? && candidate != @recommendation.now
        @found ||= @recommendation.dominance([candidate])
      end

      def candidate = @change.candidate(@recommendation.now)
    end
  end
end
