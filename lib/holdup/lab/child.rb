# frozen_string_literal: true

require "etc"

module Holdup
  module Lab
    # A process that an experiment starts, with all its child processes. It has a process group of its own:
    # Ctrl-C reaches only the experiment, which then ends its processes itself, and none outlives it.
    class Child
      POLL_S = 0.02
      GRACE_S = 10
      # A line of a backtrace, and nothing but that.
      CALLER = /\A\s*(from )?\S+:\d+:in [`'][^']*'\s*\z/

      attr_reader :pid

      # @param command [Array<String>] program and arguments
      # @param log [String] the file that gets what it says
      # @param env [Hash{String => String, nil}] added to ours
      # @param folder [String] where it runs
      # @param grace_s [Numeric] how long it may take to end when it is asked to
      # @raise [SystemCallError] it can't be started
      def initialize(*command, log:, env: {}, folder: Dir.pwd, grace_s: GRACE_S)
        program, *arguments = command
        @log = log
        @grace_s = grace_s
        files = {in: File::NULL, out: [log, "a"], err: %i[child out]}
        Signals.later do
          @pid = Process.spawn(env, [program, program], *arguments, chdir: folder, pgroup: true, **files)
        end
      rescue SignalException # only this object knows the pid yet
        stop
        raise
      end

      def alive?
        @ended ||= !!Process.wait(@pid, Process::WNOHANG)
        !@ended
      end

      # What it said last. Without backtraces: what happened stands before these.
      def last_words(lines = 15)
        File.exist?(@log) ? File.readlines(@log).map(&:scrub).grep_v(CALLER).last(lines).join : ""
      end

      # Asks it to end, and sees to it that its whole group has ended.
      def stop
        Process.kill(:TERM, @pid) if alive?
        deadline = now + @grace_s
        IO.select(nil, nil, nil, POLL_S) while alive? && now < deadline
        Process.kill(:KILL, -@pid)
        @ended ||= !!Process.wait(@pid)
      rescue Errno::ESRCH # as it should be: the group has no process left
        nil
      end

      private

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      # A server's processes, as /proc shows them.
      class ProcessTree
        TICKS = Etc.sysconf(Etc::SC_CLK_TCK)
        # Fields of /proc/<pid>/stat behind the name.
        PARENT = 1
        USER = 11
        SYSTEM = 12

        # @param pid [Integer] the first of them
        def initialize(pid)
          @pid = pid
        end

        # @yieldparam command [String] of a process; whether it counts. Without a block all do
        # @return [Float] seconds that its processes have run so far
        def cpu_seconds
          all = processes
          pids = members(all, @pid)
          pids = pids.select { |pid| yield(command(pid)) } if block_given?
          pids.sum { |pid| (all[pid][USER].to_i + all[pid][SYSTEM].to_i).fdiv(TICKS) }
        end

        private

        def members(all, pid)
          children = all.select { |_, fields| fields[PARENT].to_i == pid }.keys
          [(pid if all.key?(pid)), *children.flat_map { |child| members(all, child) }].compact
        end

        def processes
          Dir.children("/proc").grep(/\A\d+\z/).to_h { |pid| [pid.to_i, fields(pid)] }.compact
        end

        def fields(pid)
          File.read("/proc/#{pid}/stat").rpartition(")").last.split
        rescue SystemCallError
          nil
        end

        def command(pid)
          File.read("/proc/#{pid}/cmdline").tr("\0", " ")
        rescue SystemCallError
          ""
        end
      end

      # Pressing Ctrl-C twice must not leave servers behind: the first signal ends the block as usual, and
      # further ones do nothing while the processes are ended, which is bounded in time.
      module Signals
        NAMES = %w[INT TERM HUP].freeze

        # @return [Object] the block's value
        # @raise [SignalException] for the first signal
        def self.first_only
          previous = NAMES.to_h { |name| [name, trap(name) { first(name) }] }
          yield
        ensure
          previous&.each { |name, handler| trap(name, handler || "DEFAULT") }
        end

        # For what must happen together, such as starting a process and storing its pid: a signal waits for
        # the end of the block.
        # @return [Object] the block's value
        # @raise [SignalException] for a signal that came meanwhile
        def self.later
          early = nil
          previous = NAMES.to_h { |name| [name, trap(name) { early ||= name }] }
          yield
        ensure
          previous&.each { |name, handler| trap(name, handler || "DEFAULT") }
          Process.kill(early, Process.pid) if early
        end

        def self.first(name)
          NAMES.each { |each| trap(each, "IGNORE") }
          raise SignalException, name
        end
        private_class_method :first
      end
    end
  end
end
