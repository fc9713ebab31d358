# frozen_string_literal: true

module Holdup
  class Collector
    # What the container (control group, version 1 or 2) of a process may use and has used, all processes in
    # it together. Outside of containers that is the service's group, or the whole machine.
    #
    # Version 1 counts time in nanoseconds and version 2 in microseconds; here it is nanoseconds.
    class ContainerFacts
      # Version 1 says "no limit" with a number that no machine has.
      UNLIMITED = 1 << 60
      US = 1000

      # @param proc [String] where the process table is
      # @param root [String] where the trees of control groups are
      def initialize(proc: "/proc", root: "/sys/fs/cgroup")
        @places = {proc:, root:}
        @host = HostFacts.new(proc:)
      end

      # @param pid [Integer, String] a process of it
      # @return [Hash{Symbol => Numeric}] cpus, vcpus; cpu_ns, periods, throttled_periods, throttled_ns since
      #   the group exists; memory_bytes, reclaimable_bytes (page cache that is in them), memory_limit_bytes;
      #   those of HostFacts; without what is unknown
      def call(pid)
        @group = SettingFacts::Cgroup.new(**@places, pid:)
        {**machine(pid), **cpu, **memory, **@host.call}.compact
      end

      private

      def machine(pid)
        SettingFacts::CpuQuota.new(proc: @places[:proc], cgroup: @places[:root],
          pid:).to_h.transform_keys(&:to_sym)
      end

      def cpu
        stat = numbers(cpu_folder, "cpu.stat")
        {cpu_ns: nanoseconds(stat["usage_usec"]) || number(own("cpuacct"), "cpuacct.usage"), periods: stat["nr_periods"],
         throttled_periods: stat["nr_throttled"], throttled_ns: nanoseconds(stat["throttled_usec"]) || stat["throttled_time"]}
      end

      # Throttling is told by the group that has the quota.
      def cpu_folder
        @group.limit&.folder || own("cpu")
      end

      def nanoseconds(us)
        us && us * US
      end

      def memory
        folder = own("memory")
        stat = numbers(folder, "memory.stat")
        {memory_bytes: number(folder, "memory.current") || number(folder, "memory.usage_in_bytes"),
         reclaimable_bytes: stat["total_inactive_file"] || stat["inactive_file"], memory_limit_bytes: memory_limit}
      end

      def memory_limit
        limits = @group.folders("memory").filter_map { |folder|
          number(folder, "memory.max") || number(folder, "memory.limit_in_bytes")
        }
        limits.min if limits.any? && limits.min < UNLIMITED
      end

      def own(controller) = @group.folders(controller).first

      def numbers(folder, file)
        text(folder, file).scan(/^(\w+) (\d+)$/).to_h { |name, digits| [name, digits.to_i] }
      end

      def number(folder, file)
        text(folder, file)[/\A\d+$/]&.to_i
      end

      def text(folder, file)
        (folder && @group.read(File.join(folder, file))).to_s
      end
    end
  end
end
