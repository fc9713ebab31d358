# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y17: a call threshold of somebody's own. It hardly matters any more: what is called too seldom is not
      # compiled anyway.
      module ThresholdSet
        # The defaults, and what pins the lower one.
        USUAL = [30, 31, 120].freeze

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          life = situation.summary.jits.on.find { |one|
            one.facts.threshold && !USUAL.include?(one.facts.threshold)
          }
          return unless life
          given = life.facts.options.to_s.include?(OptionText::THRESHOLD)
          Finding.new(rule: :jit_threshold_set, remedy: :setting, change: (if given
                                                                             OptionText.without(life, OptionText::THRESHOLD)
                                                                           end),
            facts: {threshold: life.facts.threshold, compiled: life.facts.compiled_iseqs, query: "doctor --json"})
        end
      end
    end
  end
end
