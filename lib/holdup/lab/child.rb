# frozen_string_literal: true

module Holdup
  module Lab
    # A process that an experiment starts, with all that it starts in turn. It has a process group of its own:
    # Ctrl-C reaches only the experiment, which then ends its processes itself, and none outlives it.
    class Child
      POLL_S = 0.02
      GRACE_S = 10
      # A line of a backtrace, and nothing but that.
      CALLER = /\A\s*(from )?\S+:\d+:in [`'][^']*'\s*\z/

      # @return [Integer]
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
        Signals.later {
          @pid = Process.spawn(env, [program, program], *arguments, chdir: folder, pgroup: true, in: File::NULL,
            out: [log, "a"], err: %i[child out])
        }
      rescue SignalException # nobody else knows of it yet
        stop
        raise
      end

      # @return [Boolean]
      def alive?
        @ended ||= !!Process.wait(@pid, Process::WNOHANG)
        !@ended
      end

      # What it said last. Without backtraces: what happened stands before these.
      # @return [String]
      def last_words(lines = 15)
        File.exist?(@log) ? File.readlines(@log).map(&:scrub).grep_v(CALLER).last(lines).join : ""
      end

      # Asks it to end, and sees to it that its whole group has ended.
      # @return [void]
      def stop
        Process.kill(:TERM, @pid) if alive?
        deadline = now + @grace_s
        IO.select(nil, nil, nil, POLL_S) while alive? && now < deadline
        Process.kill(:KILL, -@pid)
        @ended ||= !!Process.wait(@pid)
      rescue Errno::ESRCH # as it should be: nobody is left in the group
        nil
      end

      private

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
