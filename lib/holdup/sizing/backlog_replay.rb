# frozen_string_literal: true

module Holdup
  module Sizing
    # Throughput of threads that always have work, such as a job runner's with a long queue: replays the
    # recorded units as if all had come at once. It is more exact than the closed model for unlike jobs. Every
    # unit is replayed equally often, so that their mean is that of the recording.
    class BacklogReplay
      UNITS = 8_000
      # Left out at either end: all threads begin at once, and at the end some have no work.
      EDGE = 0.1
      NS = 1_000_000_000

      # @param profiles [Array<UnitSample>] each stands for as many units
      def initialize(profiles, vcpus:, between: DispatchCost::NOTHING, cost: CoherencyCost::CONSTANT,
        handoff_ns: Handoff::NS, seed: 1)
        @profiles = profiles
        @between = between
        @cost = cost
        @vcpus = vcpus
        @handoff_ns = handoff_ns
        @seed = seed
      end

      # @return [Float] units per second with `threads` of each process
      def throughput(threads:, processes: 1)
        outcome = play(threads, processes)
        span = outcome.steady_span(EDGE)
        outcome.ended(span).size * NS.fdiv(span.end - span.begin)
      end

      def waits(threads:, processes: 1)
        outcome = play(threads, processes)
        Handoff::HandoffTimes.new(handoff_ns: outcome.handoff_ns, wait_ns: outcome.mean(:stalled))
      end

      private

      def play(threads, processes)
        scenario = Scenario.of(processes:, threads:, vcpus: @vcpus, cost: @cost, between: @between,
          handoff_ns: @handoff_ns, assignment: :shared, seed: @seed)
        Replay.call(trace, scenario)
      end

      # Arrivals are 1 ns apart: their order affects the result.
      def trace
        @trace ||= begin
          random = Random.new(@seed)
          times = (UNITS / @profiles.size.to_f).ceil
          profiles = Array.new(times) { @profiles.shuffle(random:) }.flatten(1)
          Trace.new(profiles.each_with_index.map { |profile, index| Trace::TraceUnit.of(profile, index) })
        end
      end
    end
  end
end
