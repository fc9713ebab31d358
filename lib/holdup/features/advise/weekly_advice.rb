# frozen_string_literal: true

module Holdup
  module Advise
    # An AdviceAnswer in a few sentences: what to change, and what the cheapest fleet would save.
    class WeeklyAdvice
      # @param answer [AdviceAnswer]
      def initialize(answer, words:)
        @answer = answer
        @words = words
      end

      # @return [Array<String>] empty where the recording allows no advice
      def to_a
        return [] if verdict.refused?
        [verdict.sentence, *fleet]
      end

      private

      def verdict
        span = View::Figures::Moments.span(@answer.from_s, @answer.to_s)
        @verdict ||= AdviceVerdict.new(@answer.result, span:, words: @words, kind: @answer.kind,
          load: @answer.load, shortage: @answer.shortage)
      end

      def fleet
        @answer.fleet ? AdviceTable::Fleets.new(@answer.fleet, words: @words).sentences : []
      end
    end
  end
end
