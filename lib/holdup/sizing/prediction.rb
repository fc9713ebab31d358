# frozen_string_literal: true

module Holdup
  module Sizing
    # What a candidate would do at peak load. It has no times if a guard rejects it before a replay.
    #
    # - `ceiling`: units per second at most; `utilisation`: of each GVL at peak; `cpus`: in use
    # - `queued_ns`, `stalled_ns`, `response_ns`: means; `responses` and `waits` (queued + stalled): {0.5 =>
    #   ns, 0.95 => ns ...}
    # - `handoff_ns`: part of stalled_ns while the GVL was passed on
    # - `assignments`: how units came to processes; times are the mean of all; `guards`: Array of
    #   Guards::Violation
    Prediction = Data.define(
      :candidate, :ceiling, :utilisation, :memory_bytes, :connections, :guards, :assignments, :cpus,
      :queued_ns, :stalled_ns, :handoff_ns, :response_ns, :responses, :waits
    ) do
      def initialize(assignments: [], cpus: nil, queued_ns: nil, stalled_ns: nil, handoff_ns: nil,
        response_ns: nil, responses: {}, waits: {}, **rest)
        super
      end

      def allowed? = guards.empty?

      def replayed? = assignments.any?

      # @return [Float, nil] ns: mean wait that users feel
      def wait_ns
        queued_ns && queued_ns + stalled_ns
      end
    end
  end
end
