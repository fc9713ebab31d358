# frozen_string_literal: true

module Demo
  # How much of the CPUs that this process may use (see taskset(1)) was idle, whoever used the rest.
  class CpuTime
    # Columns of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; the two after them are a
    # part of the first two.
    COLUMNS = 8
    IDLE = 3..4
    STAT = "/proc/stat"
    STATUS = "/proc/self/status"

    # @param read [#call] path => content
    # @return [CpuTime, nil] of this moment; nil where the system doesn't say
    def self.now(read: File.method(:read))
      allowed = cpus(read.call(STATUS)[/^Cpus_allowed_list:\s*(\S+)/, 1])
      lines = read.call(STAT).scan(/^cpu(\d+) (.+)$/).select { |cpu, _| allowed.include?(cpu.to_i) }
      new(lines.map { |_, ticks| ticks.split.first(COLUMNS).map(&:to_i) }) if lines.any?
    rescue SystemCallError
      nil
    end

    # @param list [String] "0-3,8"
    def self.cpus(list)
      list.to_s.split(",").flat_map do |part|
        first, last = part.split("-").map(&:to_i)
        [*first..(last || first)]
      end
    end
    private_class_method :cpus

    # @param ticks [Array<Array<Integer>>] of each CPU
    def initialize(ticks)
      @ticks = ticks
    end

    # @param before [CpuTime]
    # @return [Float, nil] share of the time since then that the CPUs were idle
    def idle_share(before)
      all = total - before.total
      (idle - before.idle).fdiv(all) if all.positive?
    end

    protected

    def total = @ticks.sum(&:sum)

    def idle = @ticks.sum { |ticks| ticks[IDLE].sum }
  end
end
