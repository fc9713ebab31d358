# frozen_string_literal: true

require "holdup/loader"

module Bench
  # Plays the very requests that a load will send, each as some unit of the same endpoint took in the
  # recording. So predicted and measured differ by what the model doesn't know, and not by chance in when what
  # arrives.
  class Replayed
    # How often, each time with other units in the requests' place: what is left of chance evens out.
    DRAWS = 8

    # Durations in ns; means but for the percentiles.
    # `handoff_ns`: of the wait, while the GVL was passed on; nil where it is unknown.
    TrialFigures = Data.define(:throughput, :wait_ns, :handoff_ns, :response_ns, :p50_ns, :p95_ns) do
      # @param responses [Array<Numeric>] ns
      # @param waits [Array<Numeric>] ns
      def self.of(responses, waits, throughput:, handoff_ns: nil)
        sorted = responses.sort
        p50_ns, p95_ns = [0.5, 0.95].map { |share| Holdup::Lab::Exchange::Percentile.of(sorted, share) }
        new(throughput:, handoff_ns:, wait_ns: waits.sum.fdiv(waits.size),
          response_ns: responses.sum.fdiv(responses.size), p50_ns:, p95_ns:)
      end
    end

    # @param recording [Holdup::Advise::Sizing::Recording]
    # @param vcpus [Numeric] that are left for the server
    # @param cost [Holdup::Advise::Sizing::CoherencyCost] what concurrency and rests add to holds
    # @param handoff_ns [Numeric] see Holdup::Advise::Sizing::Handoff
    def initialize(recording, vcpus:, cost: recording.demand.cost,
      handoff_ns: Holdup::Advise::Sizing::Handoff::USUAL_NS)
      @units = recording.unit_samples.group_by { |unit_sample| unit_sample.series.name }
      @vcpus = vcpus
      @cost = cost
      @handoff_ns = handoff_ns
      @between = recording.demand.between
    end

    # @param arrivals [Holdup::Lab::Load::Arrivals]
    # @param processes [Integer]
    # @param threads [Integer] of each
    # @param assignment [Symbol] see Scenario
    # @return [TrialFigures]
    def call(arrivals, processes:, threads:, assignment: :least_busy)
      due = arrivals.to_a
      scenario = Holdup::Advise::Sizing::Scenario.of(processes:, threads:, vcpus: @vcpus, cost: @cost,
        between: @between, handoff_ns: @handoff_ns, assignment:)
      mean((1..DRAWS).map { |seed|
        figures(Holdup::Advise::Sizing::Replay.call(trace(due, Random.new(seed)),
          scenario))
      })
    end

    private

    def trace(due, random)
      Holdup::Advise::Sizing::Trace.new(due.map { |arrival|
        Holdup::Advise::Sizing::Trace::TraceUnit.of(
          @units.fetch(arrival.route.label).sample(random:), arrival.at_ns
        )
      })
    end

    def figures(outcome)
      TrialFigures.of(outcome.column(:response), outcome.waits, throughput: outcome.throughput,
        handoff_ns: outcome.handoff_ns)
    end

    def mean(all)
      TrialFigures.new(**TrialFigures.members.to_h { |name| [name, all.sum(&name).fdiv(all.size)] })
    end
  end
end
