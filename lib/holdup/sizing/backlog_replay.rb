# frozen_string_literal: true

module Holdup
  module Sizing
    # What threads get done that always have work, as a job runner's while its queue is long: the recorded
    # units are replayed as if all of them had come at once. Where jobs are unlike it is nearer to the truth
    # than the closed model.
    #
    # All given units count alike, each as often as the other, so their mean is the recording's and no luck of
    # a draw.
    class BacklogReplay
      # At least so many are played.
      UNITS = 8_000
      # The first have all threads begin at once, and the last leave some without work.
      EDGE = 0.1
      NS = 1_000_000_000

      # @param profiles [Array<UnitSample>] each standing for as many units
      # @param between [DispatchCost]
      # @param cost [CoherencyCost]
      # @param vcpus [Numeric]
      # @param handoff_ns [Numeric] see Handoff
      # @param seed [Integer] of the order in which they come
      def initialize(profiles, vcpus:, between: DispatchCost::NOTHING, cost: CoherencyCost::CONSTANT,
        handoff_ns: Handoff::NS, seed: 1)
        @profiles = profiles
        @between = between
        @cost = cost
        @vcpus = vcpus
        @handoff_ns = handoff_ns
        @seed = seed
      end

      # @param threads [Integer] of each process
      # @param processes [Integer]
      # @return [Float] units per second
      def throughput(threads:, processes: 1)
        outcome = play(threads, processes)
        span = outcome.steady_span(EDGE)
        outcome.ended(span).size * NS.fdiv(span.end - span.begin)
      end

      # @param threads [Integer] of each process
      # @param processes [Integer]
      # @return [Handoff::HandoffTimes]
      def waits(threads:, processes: 1)
        play(threads, processes).then { |outcome| Handoff::HandoffTimes.new(handoff_ns: outcome.handoff_ns, wait_ns: outcome.mean(:stalled)) }
      end

      private

      def play(threads, processes)
        Replay.call(trace,
          Scenario.of(processes:, threads:, vcpus: @vcpus, cost: @cost, between: @between, handoff_ns: @handoff_ns,
            assignment: :shared, seed: @seed))
      end

      # One nanosecond after the other: their order is part of the result.
      def trace
        @trace ||= begin
          random = Random.new(@seed)
          times = (UNITS / @profiles.size.to_f).ceil
          Trace.new(Array.new(times) { @profiles.shuffle(random:) }.flatten(1).each_with_index.map { |profile, index|
            Trace::TraceUnit.of(
              profile, index
            )
          })
        end
      end
    end
  end
end
