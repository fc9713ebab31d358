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
        items = AdviceFindings.new(found_by(rules), words: @words).to_a
        View::Blocks::Findings.new(title:, items:, none: word(:advice_no_findings))
      end

      # @return [Array<Rules::Finding>] the most important first
      def found_by(rules = Features.rules)
        @found_by ||= {}
        @found_by[rules] ||= Rules.call(Rules::Situation.new(summary:), rules)
      end

      # @param about [Array<String>] sentences for the team
      # @param rather [#call] whether a finding comes before more important ones
      # @return [View::Blocks::Action, nil] what to do first; nil where no rule finds anything
      # @yieldparam name [String, nil] of the requests or jobs that it is about
      # @yieldreturn [Array<View::Blocks::Link>] where to look at them
      def first_action(about:, rather: ->(_finding) { false })
        finding = found_by.find(&rather) || found_by.first or return
        text = AdviceFindings.new([finding], words: @words).first
        action = text.parts.find { |part| part.label == word(:advice_do) }.text
        copy = ["**#{text.what}** #{action}", *about].join("\n\n")
        View::Blocks::Action.new(title: word(:action_first), what: text.what, text: action, copy:,
          links: [*yield(finding.facts[:name]), what_if_link(finding)])
      end

      # The form of the page of advice has fields for these options of `whatif`.
      FIELDS = {"--threads" => "if_threads", "--processes" => "if_processes", "--slice" => "if_slice",
                "--load" => "if_load"}.freeze
      private_constant :FIELDS

      def what_if_link(finding)
        command, *options = finding.facts[:query].to_s.split
        pairs = options.each_slice(2).select { |option, value| FIELDS.key?(option) && value }
        params = (command == "whatif") ? pairs.to_h { |option, value| [FIELDS.fetch(option), value] } : {}
        View::Blocks::Link.new(text: word(:action_what_if), page: "advice", params:)
      end
    end
  end
end
