# frozen_string_literal: true

require "etc"

module Holdup
  class Collector
    # Limits and usage of a process's container (control group, version 1 or 2), over all its processes.
    # Outside of containers that is the service's group, or the whole machine. Version 1 counts time in ns and
    # version 2 in microseconds; here it is ns.
    class ContainerFacts
      # Version 1 writes "no limit" as a number that no machine has.
      UNLIMITED = 1 << 60

      # @param root [String] where the trees of control groups are
      def initialize(proc: "/proc", root: "/sys/fs/cgroup")
        @places = {proc:, root:}
        @host = HostFacts.new(proc:)
      end

      # @return [Hash{Symbol => Numeric}] cpus, vcpus; cpu_ns, periods, throttled_periods, throttled_ns since
      #   the group exists; memory_bytes, reclaimable_bytes (page cache in memory_bytes), memory_limit_bytes;
      #   the facts of HostFacts; without unknown ones
      def call(pid)
        @group = SettingFacts::Cgroup.new(**@places, pid:)
        {**machine(pid), **cpu, **memory, **@host.call}.compact
      end

      private

      def machine(pid)
        quota = SettingFacts::CpuQuota.new(proc: @places[:proc], cgroup: @places[:root], pid:)
        quota.to_h.transform_keys(&:to_sym)
      end

      def cpu
        stat = numbers(cpu_folder, "cpu.stat")
        cpu_ns = nanoseconds(stat["usage_usec"]) || number(folder("cpuacct"), "cpuacct.usage")
        throttled_ns = nanoseconds(stat["throttled_usec"]) || stat["throttled_time"]
        {cpu_ns:, periods: stat["nr_periods"], throttled_periods: stat["nr_throttled"], throttled_ns:}
      end

      # The group that has the quota counts the throttling.
      def cpu_folder
        @group.limit&.folder || folder("cpu")
      end

      def nanoseconds(us)
        us && us * US
      end

      def memory
        folder = folder("memory")
        stat = numbers(folder, "memory.stat")
        {
          memory_bytes: number(folder, "memory.current") || number(folder, "memory.usage_in_bytes"),
          reclaimable_bytes: stat["total_inactive_file"] || stat["inactive_file"],
          memory_limit_bytes: memory_limit
        }
      end

      def memory_limit
        limits = @group.folders("memory").filter_map do |folder|
          number(folder, "memory.max") || number(folder, "memory.limit_in_bytes")
        end
        limits.min if limits.any? && limits.min < UNLIMITED
      end

      def folder(controller) = @group.folders(controller).first

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

    # What all CPUs of the host have done since boot, for all processes: separates the load of neighbours from
    # our own. In a container the kernel shows the host's figures; lxcfs shows the container's instead.
    class ContainerFacts::HostFacts
      # The first line of /proc/stat; `user` includes the time of guests.
      FIELDS = %i[user nice system idle iowait irq softirq steal].freeze
      BUSY = %i[user nice system irq softirq].freeze

      # @param ticks_per_s [Integer] unit of CPU times in /proc
      def initialize(proc: "/proc", ticks_per_s: Etc.sysconf(Etc::SC_CLK_TCK))
        @path = File.join(proc, "stat")
        @ticks_per_s = ticks_per_s
      end

      # @return [Hash{Symbol => Integer}] host_cpus; host_busy_ns of all of them; steal_ns: wanted by this
      #   machine but given to others by its hypervisor; empty when unknown
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
