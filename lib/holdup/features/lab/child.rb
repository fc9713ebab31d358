# frozen_string_literal: true

require "etc"

module Holdup
  module Lab
    # A process that an experiment starts, with its child processes. It has its own process group: Ctrl-C
    # reaches only the experiment, which then stops all its processes.
    class Child
      POLL_S = 0.02
      GRACE_S = 10
      # A line that is only a backtrace entry.
      CALLER = /\A\s*(from )?\S+:\d+:in [`'][^']*'\s*\z/

      attr_reader :pid

      # @param command [Array<String>] program and arguments
      # @param log [String] file for its output
      # @param env [Hash{String => String, nil}] added to the current environment
      # @param folder [String] where it runs
      # @param grace_s [Numeric] time it has to exit after the signal
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

      # The end of its output, without backtraces: the error message comes before them.
      def last_words(lines = 15)
        File.exist?(@log) ? File.readlines(@log).map(&:scrub).grep_v(CALLER).last(lines).join : ""
      end

      # Asks it to exit, then kills what is left of its group.
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
        # Indexes in /proc/<pid>/stat after the name.
        PARENT = 1
        USER = 11
        SYSTEM = 12

        # @param pid [Integer] the first of them
        def initialize(pid)
          @pid = pid
        end

        # @yieldparam command [String] of a process; the block decides whether it counts. Without a block all
        #   count
        # @return [Float] CPU seconds of its processes so far
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

      # A second Ctrl-C must not leave servers behind: the first signal ends the block as usual; later ones do
      # nothing while the processes stop, which takes a bounded time.
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

        # Defers signals to the end of the block, for steps that must happen together, such as starting a
        # process and storing its pid.
        # @return [Object] the block's value
        # @raise [SignalException] for a deferred signal
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
