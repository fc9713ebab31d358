# frozen_string_literal: true

require_relative "options"

module Demo
  # The processes that the demo started. Each has a process group of its own: Ctrl-C reaches only the demo,
  # which then stops them in the right order.
  class Children
    GRACE_SECONDS = 30

    def initialize
      @pids = {}
    end

    # @param name [Symbol]
    # @return [Integer] its pid
    def start(name, env, *command, **options)
      @pids[name] = Process.spawn(env, *command, pgroup: true, in: File::NULL, **options)
    end

    # @return [Integer, nil] nil: it was not started, or was stopped
    def pid(name) = @pids[name]

    # @param name [Symbol]
    # @return [Boolean]
    def alive?(name)
      pid = @pids[name] or return false
      return true unless Process.wait(pid, Process::WNOHANG)
      @pids.delete(name)
      false
    end

    # Latest first: who is used by others ends last.
    # @return [void]
    def stop_all
      @pids.keys.reverse_each { |name| stop(name) }
    end

    # @param name [Symbol]
    # @return [void]
    def stop(name)
      group = @pids[name] or return
      Process.kill(:TERM, group) if alive?(name)
      Process.kill(:KILL, -group) unless ended?(name, group)
      alive?(name)
    rescue Errno::ESRCH
      nil # it ended meanwhile
    end

    private

    # The whole group: a server's collector outlives it to carry the last units.
    def ended?(name, group)
      deadline = now + GRACE_SECONDS
      IO.select(nil, nil, nil, 0.02) while (left = alive?(name) || member?(group)) && now < deadline
      !left
    end

    # Asks /proc, because to kill(2) a dead process that init has not reaped yet is still there.
    def member?(group)
      Dir["/proc/[0-9]*/stat"].any? do |path|
        state, _, its_group = File.read(path).rpartition(")").last.split
        its_group.to_i == group && state != "Z"
      rescue SystemCallError
        false # it ended while we looked
      end
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
