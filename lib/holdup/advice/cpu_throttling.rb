# frozen_string_literal: true

module Holdup
  module Advice
    # A quota that is used up stops all threads of a container at once, whoever holds the GVL.
    module CpuThrottling
      # Of the quota's periods.
      OFTEN = 0.05

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        share = situation.machine&.throttled_share
        return unless share && share >= OFTEN
        Finding.new(rule: :cpu_throttling, remedy: :machine, weight: share,
          facts: {throttled_share: share, throttled_ns: situation.machine.throttled_ns, vcpus: situation.machine.vcpus, query: "report"})
      end
    end
  end
end
