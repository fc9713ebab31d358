# frozen_string_literal: true

module Holdup
  module View
    # What `holdup compare` says, before it is laid out: the verdict first, then what differs, the figures and
    # who moved them.
    class Compare
      # Sentences for facts that need more words than their name.
      APART = {"setting" => :compare_by_setting, "arm" => :compare_by_arm}.freeze

      # @param comparison [Analysis::Comparison]
      # @param words [Words]
      # @param kind [Symbol] of the units
      # @param families [Array<Symbol>, nil] of metrics that are shown and judged; nil for all
      # @param limit [Integer] endpoints shown
      # @param picked [#fact, nil] by what the sides were told apart, and of how many; nil: by time
      def initialize(comparison, words: Words.new, kind: :request, families: nil, limit: Sections::LIMIT,
        picked: nil)
        @comparison = comparison
        @words = words
        @kind = kind
        @families = families
        @limit = limit
        @picked = picked
      end

      # @return [Page]
      def page
        Page.new(title: @words.call(:compare_title, units:), facts: [*sides, *told_apart], lead: sentences.lead, remarks: [sentences.cause, *sentences.remarks, *sentences.limits],
          sections: Sections.new(@comparison, words: @words, families: @families, limit: @limit).call)
      end

      # @return [Sentences]
      def sentences
        @sentences ||= Sentences.new(@comparison, words: @words, metrics: judged)
      end

      private

      # Those that were asked for, else the few that matter.
      def judged
        return Analysis::Comparison::ComparisonVerdict::METRICS unless @families
        Analysis::Comparison::Metric::ALL.values.select { |metric| @families.include?(metric.family) }.map(&:name)
      end

      def sides
        [@comparison.before, @comparison.after].zip(%i[before after]).map do |side, name|
          @words.call(:compare_side, side: @words.call(:"compare_#{name}"), label: Width.clean(side.label),
            count: Figures.count(side.units), units: @words.units(@kind, side.units))
        end
      end

      # By what, and what else there would have been.
      def told_apart
        return [] unless @picked
        key = APART.fetch(@picked.fact, :compare_by)
        others = @picked.count > @picked.sides.size && !@picked.asked?
        most = @words.call(:compare_by_most, units:, count: Figures.count(@picked.count)) if others
        [[@words.call(key, fact: Width.clean(@picked.fact)), *most].join(" ")]
      end

      def units = @words.units(@kind)
    end
  end
end
