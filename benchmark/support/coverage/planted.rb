# frozen_string_literal: true

require_relative "../../../test/support/sequential_recordings"
require_relative "../../../test/support/stored_simulation"

module Bench
  class Coverage
    SIZING = Holdup::Advise::Sizing

    # What a simulated recording is made with, so that everything that is estimated from it is known.
    #
    # - `arrivals`: :open, :closed, :mostly_closed or :mostly_open, see `recording`
    # - `growth`, `handoff_ns`: see CoherencyCost and Handoff
    # - `load`: of open arrivals, as a share of what the setting serves
    # - `units`: about so many are recorded; `processes`: of the recorded setting
    Planted = Data.define(:arrivals, :growth, :handoff_ns, :load, :units, :processes) do
      # @return [Integer] units of a host that a load test keeps in the system at the most
      def population = levels.max

      # @return [Candidate] the recorded setting
      def now
        SIZING::Candidate.new(processes:, threads: Planted::THREADS)
      end

      # @return [SimulatedRecording, SequentialRecordings] the latter where a load test and a day are mixed
      def recording(seed, truth)
        share = Planted::CLOSED.fetch(arrivals)
        parts = []
        parts << load_test(seed, truth, share) if share.positive?
        parts << day(seed + Planted::OTHER_SEED, truth, 1 - share) if share < 1
        (parts.size == 1) ? parts.first : SequentialRecordings.new(parts)
      end

      def stored(recording)
        StoredSimulation.of(recording, {"threads" => Planted::THREADS, "workers" => processes,
                                            "vcpus" => Planted::VCPUS})
      end

      # Of the planted units, as `recording` draws them.
      def simulated(seed, **options)
        SimulatedRecording.new(seed:, growth:, handoff_ns:, threads: Planted::THREADS, processes:,
          endpoints: Planted::ENDPOINTS, sway: 0.0, **options)
      end

      private

      def levels
        Planted::CONNECTIONS.map { |connections| connections * processes }
      end

      # A ramp of which each step is at least two cells long (ClosedLoad), with the wanted units in all.
      def load_test(seed, truth, share)
        served = truth.ceiling(now)
        seconds = share * units / served
        steps = [(seconds / (levels.size * Planted::STEP_S)).round, 1].max * levels.size
        turn_s = [seconds / steps, 2.0 * SIZING::ClosedLoad::CELL_S].max
        simulated(seed, connections: levels, rate: served / 2, turn_s:, minutes: steps * turn_s / 60)
      end

      def day(seed, truth, share)
        rate = load * truth.ceiling(now)
        simulated(seed, rate:, minutes: share * units / rate / 60)
      end
    end

    Planted::THREADS = 5
    Planted::VCPUS = 2
    Planted::STEP_S = 20
    Planted::CONNECTIONS = [1, 2, 3, 5, 8].freeze
    # Share of the units that come in a load test.
    Planted::CLOSED = {open: 0.0, closed: 1.0, mostly_closed: 0.7, mostly_open: 0.3}.freeze
    Planted::OTHER_SEED = 1_000_003
    # Short pages of many queries, longer ones, and reports that compute: 50 ms with the GVL on average, 141
    # acquisitions.
    Planted::ENDPOINTS = {
      "Orders#index" => {held_ms: 20, idle_ms: 30, acquisitions: 100, share: 0.6, sigma: 0.5},
      "Orders#show" => {held_ms: 60, idle_ms: 60, acquisitions: 250, share: 0.3, sigma: 0.7},
      "Reports#show" => {held_ms: 200, idle_ms: 20, acquisitions: 60, share: 0.1, sigma: 0.9}
    }.transform_values { |shape| SimulatedRecording::Endpoint.new(**shape) }.freeze
  end
end
