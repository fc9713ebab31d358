# frozen_string_literal: true

module Holdup
  module Sizing
    # Which of the predicted settings it is to be, and by how much one is better than now: by replays, as what
    # earlier predictions were off by corrects them.
    class Choice
      # @return [Prediction] of the setting as it is
      attr_reader :current

      # @param replayed [Array<Prediction>]
      # @param now [Candidate]
      # @param objective [Objective]
      # @param bias [PredictionBias]
      def initialize(replayed, now:, objective:, bias:)
        @replayed = replayed
        @now = now
        @objective = objective
        @bias = bias
        @current = replayed.find { |prediction| prediction.candidate == now }
      end

      # @return [Array<Prediction>] all of them, see Bias#told
      def predictions
        @predictions ||= @replayed.map { |prediction| @bias.told(prediction, now: @now) }
      end

      # @return [Prediction, nil] the best of those that may be
      def best
        @best ||= @objective.best(judged.select(&:allowed?), current)&.then { |found|
          of(predictions, found.candidate)
        }
      end

      # @param candidate [Candidate] of one of them
      # @return [Float] see Objective#gain and Bias#judged
      def gain_of(candidate)
        @objective.gain(current, of(judged, candidate))
      end

      # @param before [Prediction] of now, and `after` of another setting: both as they were replayed under
      #   other circumstances
      # @return [Float]
      def gain(before, after)
        @objective.gain(before, @bias.judged(after, before: current))
      end

      private

      def judged
        @judged ||= @replayed.map { |prediction| @bias.judged(prediction, before: current) }
      end

      def of(predictions, candidate)
        predictions.find { |prediction| prediction.candidate == candidate }
      end
    end
  end
end
