# frozen_string_literal: true

require "etc"

module Holdup
  class Collector
    # What all CPUs of the host have done since it was booted, whoever wanted it: tells a neighbour from a hog
    # of one's own. Within a container the kernel shows the host's figures, unless something (lxcfs) shows the
    # container's: then there are no neighbours.
    class HostFacts
      NS = 1_000_000_000
      # The first line of the file; time for guests is in `user` already.
      FIELDS = %i[user nice system idle iowait irq softirq steal].freeze
      BUSY = %i[user nice system irq softirq].freeze

      # @param proc [String] where the process table is
      # @param ticks_per_s [Integer] unit of CPU times in /proc
      def initialize(proc: "/proc", ticks_per_s: Etc.sysconf(Etc::SC_CLK_TCK))
        @path = File.join(proc, "stat")
        @ticks_per_s = ticks_per_s
      end

      # @return [Hash{Symbol => Integer}] host_cpus; host_busy_ns of all of them; steal_ns: wanted by this
      #   machine and given to others by its hypervisor; empty where the system does not tell
      def call
        ticks, cpus = read
        return {} unless ticks
        {host_cpus: cpus, host_busy_ns: nanoseconds(ticks.values_at(*BUSY).sum),
         steal_ns: nanoseconds(ticks.fetch(:steal))}
      end

      private

      def read
        lines = File.readlines(@path)
        figures = lines.first.to_s[/\Acpu +(.*)/, 1]&.split&.map(&:to_i)
        if figures && figures.size >= FIELDS.size
          [FIELDS.zip(figures).to_h, lines.count { |line| line.match?(/\Acpu\d/) }]
        end
      rescue SystemCallError
        nil
      end

      def nanoseconds(ticks) = ticks * NS / @ticks_per_s
    end
  end
end
