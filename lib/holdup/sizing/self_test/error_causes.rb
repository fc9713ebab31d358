# frozen_string_literal: true

module Holdup
  module Sizing
    # Why a replay of the present may miss: figures of the recording that a replay does not model, and the
    # size from which each can explain an error.
    class SelfTest::ErrorCauses
      NS = 1_000_000_000
      # Grade A allows an error of 10 % of the response: less than half of that does not explain a miss.
      SHARE = 0.05
      # Where a setting was saturated: an error of its throughput from which the ceiling is wrong.
      CEILING = 0.05
      # Share of the peak that the GVL is held: beyond it the length of a queue is mostly chance.
      BUSY = 0.85
      # Peak against mean: beyond it a minute has bursts that its mean rate hides.
      SWINGS = 3.0
      # How much longer the machine takes for the same work in slow minutes than in fast ones.
      MACHINE_SPEED = Recording::RecordingChecks::MACHINE_VARIATION - 1
      LIMITS = {starved: SHARE, resource_waits: SHARE, busy: BUSY, swings: SWINGS,
                ceiling: CEILING, machine_speed: MACHINE_SPEED}.freeze

      # @param errors [Hash{Symbol => Float}] see SelfTestResult
      def initialize(recording, traffic:, processes:, errors: {})
        @recording = recording
        @traffic = traffic
        @processes = processes
        @errors = errors
      end

      # @return [Array<Symbol>] causes that its figures support, else :unknown; and :queue_unknown
      def call
        found = figures.select { |name, figure| figure > LIMITS.fetch(name) }.keys
        [*(found.empty? ? [:unknown] : found), *(:queue_unknown unless measured.queued_ns)]
      end

      # Whether the machine computed at so many speeds that no replay can be exact, though it may seem so.
      def varied_machine? = figures[:machine_speed] > MACHINE_SPEED

      # @return [Hash{Symbol => Float}] starved and resource_waits as shares of the response, busy of the
      #   time, swings as a ratio, ceiling of the throughput, machine_speed of the time of the same work
      def figures
        @figures ||= {starved: starved_ns / measured.response_ns,
                      resource_waits: @recording.resource_wait_ns / measured.response_ns.to_f,
                      busy: @traffic.peak_rate * demand.held_ns / NS / @processes, swings:,
                      ceiling: @errors.fetch(:throughput, 0.0).abs,
                      machine_speed: (@recording.machine_speed.variation || 1.0) - 1}
      end

      private

      def measured = @recording.measured

      def demand = @recording.demand

      # Without a CPU itself, and waiting for holders that had none.
      def starved_ns
        excess = [@recording.held_per_cpu - 1, 0.0].max
        demand.cpu_ns * excess + measured.stalled_ns * excess / (1 + excess)
      end

      def swings
        rates = @traffic.blocks.flat_map(&:rates)
        rates.max / [rates.sum / rates.size, Float::MIN].max
      end
    end
  end
end
