# frozen_string_literal: true

module Holdup
  module Analysis
    # What Holdup itself used in a span: its threads in the measured processes, the collector, the memory of
    # segments. What measuring adds to each unit is part of the unit's own time; bin/bench measures it.
    class OwnCost
      OURS = "thread:holdup"

      def initialize(windows, processes)
        @windows = windows.select { |window| window.series.name.start_with?(OURS) }
        @processes = processes
      end

      def known?
        @windows.any? || !collector_cpu_share.nil?
      end

      # Share of the time of a process, on average, in which a thread of Holdup held the GVL.
      def held_share
        seconds = @processes.members.sum(&:seconds)
        held_ns.fdiv(seconds * ProcessReport::SampleTrail::NS) if @windows.any? && seconds.positive?
      end

      def caused_ns
        @windows.any? ? @windows.sum { |window| window.sums[:caused_ns] } : nil
      end

      def collector_cpu_share
        sum(:collector_cpu_share)
      end

      def collector_bytes = sum(:collector_bytes)

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
