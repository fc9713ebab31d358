# frozen_string_literal: true

module Holdup
  module Analysis
    # What Holdup itself used in a span: its threads in the measured processes, the collector, the memory of
    # segments. What measuring adds to each unit is part of the unit's own time; only bin/bench can measure
    # it.
    class OwnCost
      # Prefix of the names of Holdup's threads.
      OURS = "thread:holdup"

      # @param windows [Array<Window>] of accounts
      # @param processes [ProcessReport]
      def initialize(windows, processes)
        @windows = windows.select { |window| window.series.name.start_with?(OURS) }
        @processes = processes
      end

      # @return [Boolean] whether anything of it is known
      def known?
        @windows.any? || !collector_cpu_share.nil?
      end

      # @return [Float, nil] of the time of a process, on average, in which a thread of Holdup held the GVL
      def held_share
        seconds = @processes.members.sum(&:seconds)
        held_ns.fdiv(seconds * ProcessReport::SampleTrail::NS) if @windows.any? && seconds.positive?
      end

      # @return [Integer, nil] ns that others stalled meanwhile, all together
      def caused_ns
        @windows.any? ? @windows.sum { |window| window.sums[:caused_ns] } : nil
      end

      # @return [Float, nil] CPUs that the collectors of all hosts used
      def collector_cpu_share = sum(:collector_cpu_share)

      # @return [Integer, nil] bytes, all hosts together
      def collector_bytes = sum(:collector_bytes)

      # @return [Integer, nil] bytes of segments, all hosts together
      def segment_bytes = sum(:segment_bytes)

      private

      def held_ns
        @windows.sum { |window| window.histograms[:running].sum }
      end

      def sum(key)
        known = @processes.machines.filter_map(&key)
        known.sum if known.any?
      end
    end
  end
end
