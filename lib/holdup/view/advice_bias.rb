# frozen_string_literal: true

module Holdup
  module View
    # What came of earlier predictions, and what these are corrected by for that: a sentence, and figures for
    # programs.
    class AdviceBias
      # @param bias [Sizing::PredictionBias]
      # @param words [Words]
      def initialize(bias, words:)
        @corrections = bias.corrections
        @words = words
        @figures = AdviceFigures.new(words)
      end

      # @return [Array<String>] empty where nothing was learned
      def sentences
        return [] if @corrections.empty?
        [@words.call(:advice_bias, count: Figures.count(@corrections.each_value.map(&:predictions).max),
          came: each(&:ratio), by: each(&:factor))]
      end

      # @param bias [Sizing::PredictionBias]
      # @return [Hash{Symbol => Hash}] of :response, :p95, :wait, as far as there is something
      def self.json(bias)
        bias.corrections.transform_values { |found|
          {predictions: found.predictions, ratio: found.ratio.round(4), factor: found.factor.round(4)}
        }
      end

      private

      def each
        told = @corrections.map { |name, found|
          "#{@words.call(:"advice_bias_#{name}")} #{@figures.signed(yield(found) - 1)}"
        }
        @words.list(told)
      end
    end
  end
end
