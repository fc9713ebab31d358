# frozen_string_literal: true

require_relative "compare/sections"
require_relative "compare/sentences"
require_relative "page"
require_relative "words"

module Holdup
  module Reports
    # What `holdup compare` says, before it is laid out: the verdict first, then what differs, the figures and who moved them.
    class Compare
      # @param comparison [Analysis::Comparison]
      # @param words [Words]
      # @param kind [Symbol] of the units
      # @param families [Array<Symbol>, nil] of metrics that are shown and judged; nil for all
      # @param limit [Integer] endpoints shown
      def initialize(comparison, words: Words.new, kind: :request, families: nil, limit: Sections::LIMIT)
        @comparison = comparison
        @words = words
        @kind = kind
        @families = families
        @limit = limit
      end

      # @return [Page]
      def page
        Page.new(title: @words.call(:compare_title, units:), facts: sides, lead: sentences.lead, remarks: [sentences.cause, *sentences.remarks, *sentences.limits],
          sections: Sections.new(@comparison, words: @words, families: @families, limit: @limit).call)
      end

      # @return [Sentences]
      def sentences = @sentences ||= Sentences.new(@comparison, words: @words, metrics: judged)

      private

      # Those that were asked for, else the few that matter.
      def judged
        return Analysis::Comparison::Verdict::METRICS unless @families
        Analysis::Comparison::Metric::ALL.values.select { |metric| @families.include?(metric.family) }.map(&:name)
      end

      def sides
        [@comparison.before, @comparison.after].zip(%i[before after]).map do |side, name|
          @words.call(:compare_side, side: @words.call(:"compare_#{name}"), label: Width.clean(side.label), count: Figures.count(side.units), units:)
        end
      end

      def units = @words.call(:"kind_#{@kind}")
    end
  end
end
