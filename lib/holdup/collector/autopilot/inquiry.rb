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

        # @param store [String] URL, which may have a password: the child gets it in its environment
        def initialize(store:, dir:, host:, log:, clock:, command: [RbConfig.ruby, EXE, "autopilot"])
          @environment = {"HOLDUP_STORE" => store, "HOLDUP_DIR" => dir}
          @host = host
          @child = ChildCommand.new(command, cpu_s: CPU_S, most_bytes: MOST_BYTES)
          @log = log
          @clock = clock
        end

        # Asks, unless a question is open.
        # @param question [Symbol] :candidate or :verdict
        # @param goal [ConfigurationKeys::AutopilotGoal]
        # @param since_s [Integer] when the setting last changed for good
        def ask(question, goal:, since_s:)
          return if @child.running?
          @asked_ns = @clock.monotonic_ns
          since = Time.at(since_s).utc.strftime("%FT%TZ")
          @child.start(question.to_s, "--host", @host, "--since", since, "--json",
            environment: {**@environment, "HOLDUP_AUTOPILOT" => goal.to_s})
        rescue SystemCallError => error
          warn_once("it could not be started (#{error.message})")
        end

        # @return [Hash{String => Object}, nil] once for each answer
        def poll
          return unless @child.running?
          answer = @child.poll
          return parsed(answer.text) if answer
          return unless @clock.monotonic_ns - @asked_ns > LONGEST_S * 1_000_000_000
          close
          warn_once("it took longer than #{LONGEST_S} s")
        end

        def close = @child.close

        private

        def parsed(text)
          found = JSON.parse(text)
          @warned = nil
          found if found.is_a?(Hash)
        rescue JSON::ParserError
          warn_once("it gave no answer; run `holdup autopilot candidate` by hand to see why")
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
