# frozen_string_literal: true

module Holdup
  module Advice
    # An alarm on CPU % that never fires: these processes can't use that much CPU, so units wait while nobody
    # adds a machine. What rises when capacity ends is the time that units wait before a thread takes them.
    module AutoscalingTrap
      # What autoscaling mostly asks for: where that surely fires, there is no trap.
      USUAL = 0.7
      # Of the CPU that can be reached: room for the minutes that a new machine takes.
      ROOM = 0.75

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        ceiling = situation.machine&.ceiling
        return if ceiling.nil? || !ceiling.low? || ceiling.alarm(USUAL) == :fires
        p95_ns = Analysis::CpuCeiling::QueueAlarm.p95_ns(situation.total.histogram(:queued))
        Finding.new(rule: :autoscaling_trap, remedy: :scaling, weight: 1 - ceiling.low,
          facts: {**facts(ceiling), queued_ns: Analysis::CpuCeiling::QueueAlarm.limit_ns(p95_ns), p95_ns:, query: query(ceiling)})
      end

      def facts(ceiling)
        {alarm_share: ceiling.unreachable, low_share: ceiling.low, high_share: ceiling.high,
         processes: ceiling.processes, vcpus: ceiling.vcpus, instead_share: ROOM * ceiling.low}
      end

      def query(ceiling)
        "doctor --autoscale-target #{(ceiling.unreachable * 100).round}"
      end
      private_class_method :facts, :query
    end
  end
end
