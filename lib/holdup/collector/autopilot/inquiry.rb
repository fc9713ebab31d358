# frozen_string_literal: true

require "json"
require "rbconfig"

module Holdup
  class Collector
    class Autopilot
      # Asks `holdup autopilot candidate` and `verdict` in a process of its own: reading hours of the store
      # and replaying them takes memory and seconds that the collector should not have. It never waits.
      class Inquiry
        EXE = File.expand_path("../../../../exe/holdup", __dir__)
        LONGEST_S = 300
        CPU_S = 120
        MOST_BYTES = 100_000
        NICE = 10

        # @param store [String] URL, which may have a password: the child gets it in its environment
        def initialize(store:, dir:, host:, log:, clock:, command: [RbConfig.ruby, EXE, "autopilot"])
          @environment = {"HOLDUP_STORE" => store, "HOLDUP_DIR" => dir}
          @host = host
          @command = command
          @log = log
          @clock = clock
        end

        # Asks, unless a question is open.
        # @param question [Symbol] :candidate or :verdict
        # @param goal [ConfigurationKeys::AutopilotGoal]
        # @param since_s [Integer] when the setting last changed for good
        def ask(question, goal:, since_s:)
          return if @pid
          @answer = +""
          @asked_ns = @clock.monotonic_ns
          @output, output = IO.pipe
          environment = {**@environment, "HOLDUP_AUTOPILOT" => goal.to_s}
          @pid = Process.spawn(environment, *@command, question.to_s, "--host", @host, "--since",
            Time.at(since_s).utc.strftime("%FT%TZ"), "--json", in: File::NULL, out: output, err: File::NULL,
            rlimit_cpu: CPU_S)
          Process.setpriority(Process::PRIO_PROCESS, @pid, NICE)
        rescue SystemCallError => error
          warn_once("it could not be started (#{error.message})")
        ensure
          output&.close
        end

        # @return [Hash{String => Object}, nil] once for each answer
        def poll
          return unless @pid
          read
          return parsed if reaped?
          return unless @clock.monotonic_ns - @asked_ns > LONGEST_S * 1_000_000_000
          close
          warn_once("it took longer than #{LONGEST_S} s")
        end

        def close
          return unless @pid
          Process.kill(:KILL, @pid)
          Process.wait(@pid)
        rescue Errno::ESRCH, Errno::ECHILD
          nil
        ensure
          forget
        end

        private

        def read
          while @answer.bytesize < MOST_BYTES
            part = @output.read_nonblock(65_536, exception: false)
            break unless part.is_a?(String)
            @answer << part
          end
        end

        def reaped?
          !Process.wait(@pid, Process::WNOHANG).nil?
        rescue Errno::ECHILD
          true
        end

        def parsed
          read
          forget
          found = JSON.parse(@answer)
          @warned = nil
          found if found.is_a?(Hash)
        rescue JSON::ParserError
          warn_once("it gave no answer; run `holdup autopilot candidate` by hand to see why")
        end

        def forget
          @output&.close
          @pid = @output = nil
        end

        # @return [nil]
        def warn_once(reason)
          @log.warn("the autopilot does not know what to try: #{reason}") unless reason == @warned
          @warned = reason
          nil
        end
      end
    end
  end
end
