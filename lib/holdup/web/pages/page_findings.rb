# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # What rules find in the page's summary. Those that need no replay: the page of advice has all.
      module PageFindings
        private

        # @param title [String]
        # @param rules [Array<#call>] see Holdup::Advice
        # @return [Blocks::Findings]
        def findings(title, rules = Holdup::Advice::RULES)
          found = Holdup::Advice.call(Holdup::Advice::Situation.new(summary:), rules)
          Blocks::Findings.new(title:,
            items: View::AdviceFindings.new(found, words: @words).to_a, none: word(:advice_no_findings))
        end
      end
    end
  end
end
