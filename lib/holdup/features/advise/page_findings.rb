# frozen_string_literal: true

module Holdup
  module Advise
    # For pages that show findings of rules for their summary. They need no replay: the page of advice has
    # all.
    module PageFindings
      private

      # @param rules [Array<#call>] see Rules
      # @return [View::Blocks::Findings]
      def findings(title, rules = Features.rules)
        found = Rules.call(Rules::Situation.new(summary:), rules)
        items = AdviceFindings.new(found, words: @words).to_a
        View::Blocks::Findings.new(title:, items:, none: word(:advice_no_findings))
      end
    end
  end
end
