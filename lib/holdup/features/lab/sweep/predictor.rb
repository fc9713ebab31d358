# frozen_string_literal: true

module Holdup
  module Lab
    class Sweep
    end

    # Predicts by the replay of `holdup advise`, with the recorded requests and arrival times for each
    # setting. It also predicts the baseline, as a self-test.
    class Sweep::Predictor
      # @param outcome [Trial::TrialResult] of the baseline: the recording
      # @param round [Integer] of the recording
      def initialize(outcome, round:)
        @outcome = outcome
        @round = round
        recorded = outcome.recording
        @now = Advise::Sizing::Candidate.new(processes: recorded.processes, threads: recorded.threads,
          time_slice_ns: recorded.time_slice_ns)
        @trace = Advise::Sizing::Trace.of(outcome.unit_samples)
      end

      # @return [Prediction, nil] nil if the JIT differs, because the code then takes another time
      def call(arm)
        return unless arm.yjit == @outcome.arm.yjit && arm.extra == @outcome.arm.extra
        replayed = forecast(handoff_ns).call(candidate(arm), @trace, force: true)
        Sweep::SettingPrediction.new(
          arm: arm.setting,
          round: @round,
          rate: @outcome.rate,
          throughput: [rate, replayed.ceiling].min.round(3),
          queued_ns: replayed.queued_ns.round,
          stalled_ns: replayed.stalled_ns.round,
          response_ns: replayed.response_ns.round,
          **percentiles(replayed.responses)
        )
      end

      private

      # The actual rate, which chance makes differ a little from the wanted one.
      def rate
        @outcome.seen.total.count / @outcome.seconds.to_f
      end

      def handoff_ns
        @handoff_ns ||= begin
          measured = figures(@outcome.recording.handoff_ns, @outcome.wait_ns)
          Advise::Sizing::Handoff.fit(measured) do |ns|
            replayed = forecast(ns).call(@now, @trace, force: true)
            figures(replayed.handoff_ns, replayed.wait_ns)
          end
        end
      end

      def figures(handoff_ns, wait_ns)
        Advise::Sizing::Handoff::HandoffTimes.new(handoff_ns:, wait_ns:)
      end

      def forecast(handoff_ns)
        vcpus = @outcome.setting["vcpus"] || @outcome.setting["cpus"]
        limits = Advise::Sizing::ResourceLimits.new(vcpus:)
        demand = @outcome.recording.demand
        guards = Advise::Sizing::Guards.new(demand, limits:, rate:, current: @now)
        Advise::Sizing::Forecast.new(demand:, guards:, limits:, current: @now, rate:,
          slo: Advise::Sizing::Slo.new,
          handoff_ns:)
      end

      def candidate(arm)
        @now.with(**arm.to_h.slice(:processes, :threads, :time_slice_ns).compact)
      end

      def percentiles(responses)
        Exchange::Percentile::KEPT.invert.transform_values { |share| responses.fetch(share) }
      end
    end
  end
end
