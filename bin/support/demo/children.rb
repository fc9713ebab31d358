# frozen_string_literal: true

require_relative "options"

module Demo
  # The processes that the demo started. Each has a process group of its own: Ctrl-C reaches only the demo, which then
  # stops them in the right order.
  class Children
    GRACE_SECONDS = 10

    def initialize
      @pids = {}
    end

    # @param name [Symbol]
    # @return [Integer] its pid
    def start(name, env, *command, **options)
      @pids[name] = Process.spawn(env, *command, pgroup: true, in: File::NULL, **options)
    end

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

    private

    def stop(name)
      return unless alive?(name)
      pid = @pids[name]
      Process.kill(:TERM, pid)
      Process.kill(:KILL, -pid) unless gone?(name)
      @pids.delete(name)
    rescue Errno::ESRCH, Errno::ECHILD
      @pids.delete(name)
    end

    def gone?(name)
      deadline = now + GRACE_SECONDS
      IO.select(nil, nil, nil, 0.02) while (alive = alive?(name)) && now < deadline
      !alive
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
