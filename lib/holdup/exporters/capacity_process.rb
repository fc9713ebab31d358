# frozen_string_literal: true

require "json"
require "rbconfig"

module Holdup
  module Exporters
    # Runs `holdup scale` now and then, for the capacity: reading two hours of the store and replaying them
    # takes memory and seconds that the collector should not have.
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

      # @param goal [ConfigurationKeys::ScalingGoal]
      # @param store [String] URL, which may have a password: the child gets it in its environment
      def initialize(goal, store:, log:, clock:, command: [RbConfig.ruby, EXE, "scale"])
        @goal = goal
        @child = Collector::ChildCommand.new(command, cpu_s: CPU_S, most_bytes: MOST_BYTES)
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
        if @child.running?
          answer = @child.poll
          return ended(answer) if answer
          give_up if @clock.realtime_s > @started_s + LONGEST_S
        elsif @clock.realtime_s >= @due_s
          start(host)
        end
        nil
      end

      def close = @child.close

      private

      def start(host)
        @started_s = @clock.realtime_s
        @cpu_s = children_s
        options = ["--host", host, "--within", "#{@goal.within}s", "--format", "json"]
        options.push("--slo", @goal.slo) if @goal.slo
        @child.start(*options, environment: @environment)
      rescue SystemCallError => error
        @due_s = @started_s + EVERY_S
        warn_once("it could not be started (#{error.message})")
      end

      def ended(answer)
        spent_s = children_s - @cpu_s
        found = parsed(answer)
        known = found&.any? && found.all? { |one| one[:per_second] }
        every_s, share = known ? [EVERY_S, SHARE] : [FIRST_S, FIRST_SHARE]
        @due_s = @started_s + [every_s, spent_s / share].max
        found
      end

      def parsed(answer)
        found = JSON.parse(answer.text, symbolize_names: true).fetch(:capacities)
        @warned = nil
        found
      rescue JSON::ParserError, KeyError
        status = answer.status&.to_s&.sub(/\Apid \d+ /, "") || "reaped elsewhere"
        warn_once("`holdup scale` gave no answer (#{status}); run it by hand to see why")
        nil
      end

      def give_up
        close
        @due_s = @started_s + EVERY_S
        warn_once("`holdup scale` took longer than #{LONGEST_S} s")
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
