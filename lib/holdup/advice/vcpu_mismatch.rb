# frozen_string_literal: true

module Holdup
  module Advice
    # Fewer processes than vCPUs: the rest of the machine is paid for and can't be used, and an alarm on CPU %
    # never fires. How many processes there are to be, and what they bring, is the recommendation's where
    # there is one.
    module VcpuMismatch
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        ceiling = situation.machine&.ceiling
        return unless ceiling&.low?
        needed = situation.processes(ceiling.processes_needed)
        Finding.new(rule: needed ? :vcpu_mismatch : :vcpu_mismatch_kept, remedy: :machine,
          weight: ceiling.idle_vcpus / ceiling.vcpus, facts: facts(ceiling, needed),
          change: (situation.levers.change("processes", needed) if needed && !situation.change?))
      end

      def facts(ceiling, needed)
        {processes: ceiling.processes, vcpus: ceiling.vcpus, high_share: ceiling.high, needed:,
         query: "report"}.compact
      end
      private_class_method :facts
    end
  end
end
