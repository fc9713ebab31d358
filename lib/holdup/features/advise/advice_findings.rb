# frozen_string_literal: true

module Holdup
  module Advise
    # Findings in sentences: problem, evidence, remedy, expected effect, risks, how to verify and how to undo.
    class AdviceFindings
      include Enumerable

      FindingText = Data.define(:rule, :what, :parts)
      # `diff`: lines to remove and lines to add, usually none; `folded`: whether a browser shows it only when
      # it is asked to; `empty`: whether it says that there is nothing to say, which a browser leaves out
      Part = Data.define(:label, :text, :diff, :folded, :empty) do
        def initialize(label:, text:, diff: [], folded: false, empty: false) = super
      end
      LABELS = %i[evidence do expected risk verify undo].freeze
      # What the finding is for: the rest is its reasons.
      ACTION = :do
      # Remedies that change nothing that could be undone.
      UNCHANGING = %i[neighbours measuring].freeze
      private_constant :UNCHANGING

      def initialize(findings, words:)
        @findings = findings
        @words = words
        @figures = AdviceFigures.new(words)
      end

      # @yieldparam text [FindingText]
      def each(&)
        @findings.map { |finding| describe(finding) }.each(&)
      end

      def empty? = @findings.empty?

      # @return [Array<String>] of the parts, in order
      def labels
        LABELS.map { |label| word(label) }
      end

      private

      def word(key, **facts)
        @words.call(:"advice_#{key}", **facts)
      end

      def describe(finding)
        texts = [evidence(finding), change(finding), expected(finding), risk(finding),
          word(:"verify_#{finding.remedy}"), word(:"undo_#{finding.remedy}")]
        diff = finding.line&.diff.to_a.map { |line| View::Width.clean(line) }
        parts = LABELS.zip(texts).map do |label, text|
          action = label == ACTION
          Part.new(label: word(label), text:, diff: action ? diff : [], folded: !action,
            empty: says_nothing?(finding, label))
        end
        FindingText.new(rule: finding.rule, what: say(finding, :what), parts:)
      end

      def says_nothing?(finding, label)
        case label
        when :expected then finding.interval.nil?
        when :risk then !risky?(finding)
        when :undo then UNCHANGING.include?(finding.remedy)
        else false
        end
      end

      def risky?(finding) = @words.key?(:"finding_#{finding.rule}_risk")

      def risk(finding) = risky?(finding) ? say(finding, :risk) : word(:no_risk)

      def say(finding, part)
        @words.call(:"finding_#{finding.rule}_#{part}", **@figures.facts(finding.facts.except(:query)))
      end

      def evidence(finding)
        text = say(finding, :evidence)
        finding.facts[:query] ? word(:query, text:, query: View::Width.clean(finding.facts[:query])) : text
      end

      def change(finding)
        text = say(finding, :do)
        return word(:beyond, text:, guards: @figures.guards(finding.limits)) if finding.limits.any?
        change = finding.change or return text
        lever = View::LeverText.new(change.how, write: change.new, facts: change.facts, words: @words)
        facts = {text:, change: lever.whole, where: View::LeverText.place(change.where, @words),
                 rest: lever.then}
        return word(:write, **facts) unless change.where
        return word(:at, **facts) if change.diff.empty?
        lever.then ? word(:diff_then, **facts) : word(:diff, **facts)
      end

      def expected(finding)
        return word(:expected_unknown) unless finding.interval
        worse = finding.measure != :throughput && finding.gain.negative?
        gain, (low, high) = worse ? [-finding.gain,
          finding.interval.minmax.map(&:-@).reverse] : [finding.gain, finding.interval.minmax]
        word(expectation(finding, worse), gain: @figures.share(gain), low: @figures.share(low),
          high: @figures.share(high))
      end

      def expectation(finding, worse)
        return :expected_throughput if finding.measure == :throughput
        worse ? :expected_loss : :expected_gain
      end
    end
  end
end
