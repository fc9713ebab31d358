# frozen_string_literal: true

module Holdup
  module View
    # The setting as it is, measured and replayed side by side: how far the rest may be off.
    class AdviceSelfTest
      COLUMNS = %i[advice_self_test_figure verify_measured verify_predicted verify_error].freeze

      # @param recommendation [Sizing::Recommendation, nil]
      # @param words [Words]
      def initialize(recommendation, words:)
        @recommendation = recommendation
        @words = words
        @figures = AdviceFigures.new(words)
      end

      # @return [Section, nil] nil where nothing was replayed
      def section
        return unless tested?
        Section.new(title: @words.call(:advice_self_test, grade: test.grade.to_s.upcase), columns: COLUMNS.map { |key| @words.call(key) }, rows:,
          notes: [@words.call(:advice_self_test_note)])
      end

      private

      # Where it forbids an answer it is shown all the more.
      def tested?
        !@recommendation.nil? && [nil, :self_test].include?(@recommendation.reasons.first)
      end

      def test = @recommendation.self_test

      def rows
        waits = test.measured.queued_ns ? :verify_wait : :verify_wait_unqueued
        [times(:verify_response, :response, &:response_ns), times(:verify_p95, :p95, &:p95_ns),
          times(waits, :wait) { |one| one.queued_ns.to_i + one.stalled_ns },
          [@words.call(:whatif_used), *both { |one| Figures.share(one.utilisation) }, off(:utilisation)]]
      end

      def times(title, error)
        [@words.call(title), *both { |one| Figures.duration(yield one) }, off(error)]
      end

      def both
        [test.measured, test.predicted].map { |one| yield one }
      end

      def off(error)
        @figures.signed(test.errors.fetch(error))
      end
    end
  end
end
