# frozen_string_literal: true

require_relative "../finding"

module Holdup
  module Advice
    module Jit
      # Y03: switched on in a hook that runs in the master after it has forked: some workers have it, others not.
      module WrongHook
        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          master = situation.summary.jits.origins.masters.find(&:wrong_hook?)
          return unless master
          Finding.new(rule: :jit_wrong_hook, remedy: :setting, weight: 0.05,
            facts: {by: master.by, with: master.inherited.size, without: master.without.size, query: "doctor"})
        end
      end
    end
  end
end
