# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y03: switched on in a hook that runs in the master after it has forked: some workers have it, others
      # not. Or before it forks, although `config.jit` asks for it in each worker.
      module WrongHook
        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          masters = situation.summary.jits.origins.masters
          late = masters.find(&:wrong_hook?)
          early = masters.find(&:too_early?)
          return finding(:jit_wrong_hook, late, weight: 0.05, without: late.without.size) if late
          finding(:jit_in_master, early, weight: 0.02) if early
        end

        def finding(rule, master, weight:, **facts)
          Finding.new(rule:, remedy: :setting, weight:,
            facts: {by: master.by, with: master.inherited.size, **facts, query: "doctor"})
        end
        private_class_method :finding
      end
    end
  end
end
