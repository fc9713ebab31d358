# frozen_string_literal: true

module Soak
  # A memory cgroup of its own below that of this process (version 1), for processes of a soak run.
  class MemoryCgroup
    ROOT = "/sys/fs/cgroup/memory"
    NONE = -1

    # @yieldparam limit [MemoryCgroup] gone after the block, its processes back where they came from
    # @raise [Faults::NotHere]
    def self.around
      limit = new
      yield limit
    ensure
      limit&.remove
    end

    def initialize
      own = File.read("/proc/self/cgroup")[/^\d+:memory:(.*)$/, 1]
      @parent = File.join(ROOT, own.to_s)
      @path = File.join(@parent, "holdup-soak-#{Process.pid}")
      Dir.mkdir(@path)
    rescue SystemCallError => error
      raise Faults::NotHere, "no memory cgroup (version 1) can be made: #{error.class}"
    end

    # A process; what it starts from now on belongs to it as well.
    def add(pid) = write("cgroup.procs", pid)

    # No more memory than there is in use now.
    def close
      used = read("memory.usage_in_bytes").to_i
      write("memory.limit_in_bytes", used)
    rescue Errno::EBUSY
      retry
    end

    def open = write("memory.limit_in_bytes", NONE)

    # @return [Integer] processes that the kernel has killed here
    def kills = read("memory.oom_control")[/^oom_kill (\d+)/, 1].to_i

    def remove
      open
      read("cgroup.procs").split.each { |pid| File.write(File.join(@parent, "cgroup.procs"), pid) }
      Dir.rmdir(@path)
    rescue SystemCallError
      nil # a process has ended meanwhile; an empty group does nothing
    end

    private

    def read(name) = File.read(File.join(@path, name))

    def write(name, value) = File.write(File.join(@path, name), value.to_s)
  end
end
