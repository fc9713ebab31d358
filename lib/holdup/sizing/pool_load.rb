# frozen_string_literal: true

module Holdup
  module Sizing
    # What each pool of threads of a process does at peak load where requests and jobs share it: requests
    # never all have work to do, as a job runner's pools have (PoolBacklog), so it is what each kind gives the
    # other to pay for as both come.
    class PoolLoad
      # @param traffic [Traffic] with its pools and its company
      # @param draw [Hash] rate, units and seed of it: see Traffic#peak
      # @param scenario [Hash] vcpus, between, cost, handoff_ns, assignment: see Scenario
      def initialize(traffic, draw:, **scenario)
        @trace = traffic.peak(**draw)
        @scenario = {seed: draw[:seed], **scenario}
      end

      # @param candidate [Candidate]
      # @param now [Candidate] that was recorded
      # @return [Array<PoolBacklog::PoolThroughput, nil>] of each pool; nil where no unit of it was done
      def call(candidate, now)
        outcome = Replay.call(@trace.paced(candidate.time_slice_ns.fdiv(now.time_slice_ns)),
          candidate.scenario(**@scenario))
        candidate.caps.each_with_index.map { |threads, pool|
          figures(outcome, threads, outcome.of_pool(pool, :stalled, :queued, :response))
        }
      end

      private

      def figures(outcome, threads, units)
        return if units.empty?
        stalled, queued, response = units.transpose.map { |values| values.sum.fdiv(units.size) }
        PoolBacklog::PoolThroughput.new(threads:, throughput: units.size * 1e9 / outcome.elapsed_ns,
          stalled_ns: stalled, wall_ns: response - queued)
      end
    end
  end
end
