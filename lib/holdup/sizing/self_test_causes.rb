# frozen_string_literal: true

module Holdup
  module Sizing
    # Why a replay of the present may miss it: figures of the recording that a replay does not have, and from
    # which size on each can explain that.
    class SelfTestCauses
      NS = 1_000_000_000
      # Grade A allows an error of 10 % of the response. What is less than half of that is not why a replay
      # missed.
      SHARE = 0.05
      # Of the time at the peak that the GVL is held: beyond it the length of a queue is mostly chance.
      BUSY = 0.85
      # The peak against the mean: beyond it a minute has bursts that its mean rate does not show.
      SWINGS = 3.0
      LIMITS = {starved: SHARE, waits_beside: SHARE, busy: BUSY, swings: SWINGS}.freeze

      # @param recording [#demand, #held_per_cpu, #measured, #wait_beside_ns]
      # @param traffic [Traffic]
      # @param processes [Integer]
      def initialize(recording, traffic:, processes:)
        @recording = recording
        @traffic = traffic
        @processes = processes
      end

      # @return [Array<Symbol>] what its figure supports, else :unknown; and :queue_unknown
      def call
        found = figures.select { |name, figure| figure > LIMITS.fetch(name) }.keys
        [*(found.empty? ? [:unknown] : found), *(:queue_unknown unless measured.queued_ns)]
      end

      # @return [Hash{Symbol => Float}] starved and waits_beside as shares of the response, busy of the time,
      #   swings as a ratio
      def figures
        @figures ||= {starved: starved_ns / measured.response_ns,
                      waits_beside: @recording.wait_beside_ns / measured.response_ns.to_f,
                      busy: @traffic.peak_rate * demand.held_ns / NS / @processes, swings:}
      end

      private

      def measured = @recording.measured

      def demand = @recording.demand

      # Without a CPU itself, and waiting for holders while these had none.
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
