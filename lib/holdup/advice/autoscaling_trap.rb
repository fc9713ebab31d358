# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # An alarm on CPU % that never fires: these processes can't use that much CPU, so units wait while nobody adds a machine. What
    # rises when capacity ends is the time that units wait before a thread takes them.
    module AutoscalingTrap
      # What autoscaling mostly asks for.
      USUAL = 0.7
      # From here on waiting is felt; nobody who has a free thread waits that long.
      QUEUED_NS = 20_000_000
      # Of the CPU that can be reached: room for the minutes that a new machine takes.
      ROOM = 0.75

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        ceiling = situation.machine&.ceiling
        return if ceiling.nil? || ceiling.alarm(USUAL) == :fires
        Finding.new(rule: :autoscaling_trap, remedy: :scaling, weight: 1 - ceiling.low,
          facts: {**facts(ceiling), queued_ns: queued(situation), query: "doctor --autoscale-target #{(USUAL * 100).round}"})
      end

      def facts(ceiling)
        {alarm_share: USUAL, low_share: ceiling.low, high_share: ceiling.high, processes: ceiling.processes, vcpus: ceiling.vcpus, instead_share: ROOM * ceiling.low}
      end

      # Twice of what it is while all is well.
      def queued(situation) = [2 * situation.total.histogram(:queued).quantile(0.95).to_i, QUEUED_NS].max
      private_class_method :facts, :queued
    end
  end
end
