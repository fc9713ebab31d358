# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y11: compiled code is thrown away and compiled again, because somebody asked for it.
      module CodeGc
        OPTION = "--yjit-code-gc"

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          life = situation.summary.jits.on.max_by { |one| one.facts.code_gcs.to_i }
          return unless life && life.facts.code_gcs.to_i > 1
          Finding.new(rule: :jit_code_gc, remedy: :setting, weight: 0.05, change: (if life.facts.options.to_s.include?(OPTION)
                                                                                     OptionText.without(life, OPTION)
                                                                                   end),
            facts: {times: life.facts.code_gcs, compile_ns: life.trail[:jit_compile_ns], name: life.name.to_s, query: "report"})
        end
      end
    end
  end
end
