# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y13: code that defines constants or methods while it serves: each time compiled code is thrown away.
      module Redefinitions
        A_MINUTE = 1.0
        AT_ALL = 10

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          life = situation.summary.jits.on.max_by { |one| a_minute(one) }
          return unless life && a_minute(life) >= A_MINUTE && life.warm_trail.grown(:jit_redefined) >= AT_ALL
          Finding.new(rule: :jit_redefinitions, weight: 0.02,
            facts: {name: life.name.to_s, a_minute: a_minute(life), times: life.warm_trail.grown(:jit_redefined), query: "report --format json"})
        end

        def a_minute(life)
          trail = life.warm_trail
          seconds = trail ? trail.last_s - trail.first_s : 0
          seconds.positive? ? trail.grown(:jit_redefined).to_i * 60.0 / seconds : 0.0
        end
        private_class_method :a_minute
      end
    end
  end
end
