# frozen_string_literal: true

module Holdup
  class StatsLog
    # The turns of a process's life, each told once: it began to measure, its JIT was switched on, hardly
    # compiles any more, has no memory left.
    class LifeStages
      SIGNS = {
        "boot" => ->(_gauges) { true },
        "enabled" => ->(gauges) { gauges[:jit_enabled] == 1 },
        "warm" => ->(gauges) { gauges[:jit_warm_ns] },
        "saturated" => ->(gauges) { gauges[:jit_saturated] == 1 }
      }.freeze

      def initialize
        @past = []
      end

      # @param header [Segment::Header]
      # @return [Array<String>] those that are new
      def see(header)
        reached = SIGNS.filter_map { |stage, sign|
          stage if !@past.include?(stage) && sign.call(header.gauges)
        }
        @past += reached
        reached
      end
    end
  end
end
