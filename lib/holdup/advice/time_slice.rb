# frozen_string_literal: true

module Holdup
  module Advice
    # A shorter time slice: light units then wait less behind heavy ones, at hardly any cost. From Ruby 3.4 on
    # it is an environment variable.
    module TimeSlice
      WORTH = 0.05
      VARIABLE = "RUBY_THREAD_TIMESLICE"
      MS = 1_000_000

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.sized? && !situation.keep? && situation.recommendation.recording.slices?
        best = slices(situation.recommendation).max_by { |prediction| gain(situation, prediction) }
        return unless best && gain(situation, best) > WORTH
        slice_ns, now_ns = [best.candidate, situation.recommendation.now].map(&:time_slice_ns)
        Finding.new(rule: :time_slice, remedy: :setting, change: change(situation, slice_ns, now_ns),
          **situation.evident({slice_ns:, now_ns:}, query: "whatif --slice #{slice_ns / MS}ms", time_slice_ns: slice_ns))
      end

      # The variable is for threads of priority 0: those of jobs get less of it.
      def change(situation, slice_ns, now_ns)
        steps = situation.jobs? ? situation.fact("job_priority").to_i : 0
        new, old = [slice_ns, now_ns].map { |slice| "#{VARIABLE}=#{(slice / 2.0**steps / MS).round}" }
        ProposedChange.new(new:, old:, where: "environment #{VARIABLE}", rest: "then restart")
      end

      def slices(recommendation)
        now = recommendation.now
        recommendation.predictions.select { |one|
          one.replayed? && one.candidate != now && one.candidate.with(time_slice_ns: now.time_slice_ns) == now
        }
      end

      def gain(situation, prediction)
        situation.recommendation.gain_of(prediction.candidate)
      end
      private_class_method :change, :slices, :gain
    end
  end
end
