# frozen_string_literal: true

module Holdup
  module View
    # How much was recorded, how well its figures are known, and what is missing: instead of a number of
    # requests that would be right for nobody.
    class AdviceSampling
      # @param recommendation [Sizing::Recommendation]
      # @param words [Words]
      def initialize(recommendation, words:)
        @found = recommendation.sufficiency
        @words = words
      end

      # @return [Array<String>] a sentence when something is missing
      def call
        @found.enough? ? [] : [word(:sampling, **facts)]
      end

      # @return [Hash{Symbol => String}] units, minutes, widths, missing
      def facts
        {units: Figures.count(@found.units), minutes: Figures.count(@found.minutes), widths:, missing:}
      end

      private

      def word(key, **facts)
        @words.call(:"advice_#{key}", **facts)
      end

      def widths
        known = @found.widths.map { |key, width| word(:"width_#{key}", width: Figures.share(width)) }
        known.empty? ? "" : word(:widths, widths: @words.list(known))
      end

      def missing
        @words.list(@found.missing.map { |key| word(:"missing_#{key}") })
      end
    end
  end
end
