# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y05: somebody has set a limit, and for a day far less was used: lowering it saves nothing, memory is
      # taken when it is used.
      module LimitUnused
        USED = 0.6
        DAY_S = 24 * 3600
        # Growth within the day that is none.
        FLAT = 0.02
        # Samples may be so far apart.
        SLACK_S = 3600

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          life = situation.summary.jits.on.find { |one|
            set?(one.facts) && used(one.facts) < USED && flat?(one)
          }
          return unless life
          Finding.new(rule: :jit_limit_unused, remedy: :setting,
            facts: {used_share: used(life.facts), limit_bytes: life.facts.limit_bytes, from: life.facts.limit_from, query: "report --since 25h"})
        end

        def set?(jit)
          jit.limit_bytes && jit.total_bytes && !jit.limit_from.to_s.include?("default")
        end

        def used(jit)
          ((jit.limit_of == "code") ? jit.code_bytes : jit.total_bytes).fdiv(jit.limit_bytes)
        end

        def flat?(life)
          day = life.trail.since(life.last_s - DAY_S)
          return false if day.last_s - day.first_s < DAY_S - SLACK_S
          %i[jit_code_bytes
            jit_alloc_bytes].sum { |key| day.grown(key).to_i } <= FLAT * life.facts.total_bytes
        end
        private_class_method :set?, :used, :flat?
      end
    end
  end
end
