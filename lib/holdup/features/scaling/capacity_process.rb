# frozen_string_literal: true

module Holdup
  module Scaling
    # Runs `holdup scale` now and then, for the capacity: reading two hours of the store and replaying them
    # takes memory and seconds that the collector should not have.
    class CapacityProcess
      EVERY_S = 600
      SHARE = 0.005
      # Time between tries while a capacity is unknown: a recording needs some minutes.
      FIRST_S = 120
      FIRST_SHARE = 0.01
      LONGEST_S = 120
      CPU_S = 60
      MOST_BYTES = 1024 * 1024

      # @param goal [ConfigurationKeys::ScalingGoal]
      # @param store [String] URL, which may have a password: the child gets it in its environment
      def initialize(goal, store:, log:, clock:, command: [*Collector::ChildCommand::HOLDUP, "scale"])
        @goal = goal
        @child = Collector::ChildCommand.new(command, cpu_s: CPU_S, most_bytes: MOST_BYTES)
        @recurring = Collector::ChildCommand::RecurringCommand.new(@child, log:, clock:, longest_s: LONGEST_S,
          every_s: EVERY_S, what: "no capacity for the scaling signal", by_hand: "holdup scale")
        @environment = {"HOLDUP_STORE" => store}
      end

      # Never waits.
      # @param host [String]
      # @return [Array<Hash{Symbol => Object}>, nil] capacities of the roles of that host, when there are new
      #   ones
      def poll(host)
        answer = @recurring.poll(*options(host), environment: @environment) or return
        found = answer[:capacities]
        known = found&.any? && found.all? { |one| one[:per_second] }
        known ? @recurring.rest(EVERY_S, share: SHARE) : @recurring.rest(FIRST_S, share: FIRST_SHARE)
        found
      end

      def close = @recurring.close

      private

      def options(host)
        options = ["--host", host, "--within", "#{@goal.within}s", "--format", "json"]
        @goal.slo ? options.push("--slo", @goal.slo) : options
      end
    end
  end
end
