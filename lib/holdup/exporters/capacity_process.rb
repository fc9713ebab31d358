# frozen_string_literal: true

require "json"
require "rbconfig"

module Holdup
  module Exporters
    # Runs `holdup scale` now and then, for the capacity: reading two hours of the store and replaying them
    # takes memory and seconds that the collector should not have. What the child does or fails to do can't
    # harm the collector, which only looks whether there is an answer.
    class CapacityProcess
      EXE = File.expand_path("../../../exe/holdup", __dir__)
      EVERY_S = 600
      # Of one core, at most: after a calculation that cost more, the next one comes later.
      SHARE = 0.005
      # While a capacity is unknown: a recording needs some minutes.
      FIRST_S = 120
      FIRST_SHARE = 0.01
      LONGEST_S = 120
      CPU_S = 60
      MOST_BYTES = 1024 * 1024
      NICE = 10

      # @param goal [ConfigurationKeys::ScalingGoal]
      # @param store [String] URL, which may have a password: the child gets it in its environment
      def initialize(goal, store:, log:, clock:, command: [RbConfig.ruby, EXE, "scale"])
        @goal = goal
        @command = command
        @environment = {"HOLDUP_STORE" => store}
        @log = log
        @clock = clock
        @due_s = clock.realtime_s
      end

      # Never waits.
      # @param host [String]
      # @return [Array<Hash{Symbol => Object}>, nil] capacities of the roles of that host, when there are new
      #   ones
      def poll(host)
        if @pid
          read
          return ended if reaped?
          give_up if @clock.realtime_s > @started_s + LONGEST_S
        elsif @clock.realtime_s >= @due_s
          start(host)
        end
        nil
      end

      def close
        kill if @pid
      end

      private

      def start(host)
        @answer = +""
        @started_s = @clock.realtime_s
        @cpu_s = children_s
        @output, output = IO.pipe
        options = ["--host", host, "--within", "#{@goal.within}s", "--format", "json"]
        options.push("--slo", @goal.slo) if @goal.slo
        @pid = Process.spawn(@environment, *@command, *options, in: File::NULL, out: output,
          err: File::NULL, rlimit_cpu: CPU_S)
        output.close
        lower_priority
      rescue SystemCallError => error
        @due_s = @started_s + EVERY_S
        warn_once("it could not be started (#{error.message})")
      end

      def lower_priority
        Process.setpriority(Process::PRIO_PROCESS, @pid, NICE)
      rescue SystemCallError
        nil
      end

      def read
        while @answer.bytesize < MOST_BYTES
          part = @output.read_nonblock(65_536, exception: false)
          break unless part.is_a?(String)
          @answer << part
        end
      end

      def reaped?
        pid, @status = Process.wait2(@pid, Process::WNOHANG)
        !pid.nil?
      rescue Errno::ECHILD # the application reaped it: it waits for any child
        @status = nil
        true
      end

      def ended
        read
        forget
        spent_s = children_s - @cpu_s
        found = parsed
        known = found&.any? && found.all? { |one| one[:per_second] }
        every_s, share = known ? [EVERY_S, SHARE] : [FIRST_S, FIRST_SHARE]
        @due_s = @started_s + [every_s, spent_s / share].max
        found
      end

      def parsed
        found = JSON.parse(@answer, symbolize_names: true).fetch(:capacities)
        @warned = nil
        found
      rescue JSON::ParserError, KeyError
        status = @status&.to_s&.sub(/\Apid \d+ /, "") || "reaped elsewhere"
        warn_once("`holdup scale` gave no answer (#{status}); run it by hand to see why")
        nil
      end

      def give_up
        kill
        @due_s = @started_s + EVERY_S
        warn_once("`holdup scale` took longer than #{LONGEST_S} s")
      end

      def kill
        Process.kill(:KILL, @pid)
        Process.wait(@pid)
        forget
      rescue Errno::ESRCH, Errno::ECHILD
        forget
      end

      def forget
        @output.close
        @pid = nil
      end

      def warn_once(reason)
        @log.warn("no capacity for the scaling signal: #{reason}") unless reason == @warned
        @warned = reason
      end

      # CPU of all children that have ended.
      def children_s
        times = Process.times
        times.cutime + times.cstime
      end
    end
  end
end
