# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # A shorter time slice: light units then wait less behind heavy ones, at hardly any cost. From Ruby 3.4 on it is an
    # environment variable.
    module TimeSlice
      WORTH = 0.05

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.sized? && situation.recommendation.recording.slices?
        best = slices(situation.recommendation).max_by { |prediction| gain(situation, prediction) }
        return unless best && gain(situation, best) > WORTH
        slice_ns = best.candidate.time_slice_ns
        Finding.new(rule: :time_slice, remedy: :setting, change: "RUBY_THREAD_TIMESLICE=#{slice_ns / 1_000_000}", **situation.effect(time_slice_ns: slice_ns),
          facts: {slice_ns:, now_ns: situation.recommendation.now.time_slice_ns})
      end

      def slices(recommendation)
        now = recommendation.now
        recommendation.predictions.select { |one| one.replayed? && one.candidate != now && one.candidate.with(time_slice_ns: now.time_slice_ns) == now }
      end

      def gain(situation, prediction) = situation.recommendation.objective.gain(situation.recommendation.current, prediction)
    end
  end
end
