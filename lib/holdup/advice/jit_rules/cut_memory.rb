# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y06: memory is short and there is much compiled code: a lower limit gives some back, and says how
      # much.
      module CutMemory
        MIB = 1 << 20
        # Remarks::Applications of all sizes do with so much code.
        CODE_MIB = 32

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          return unless Headroom.full?(situation.machine)
          large = situation.summary.jits.on.select { |life| life.facts.code_bytes.to_i > CODE_MIB * MIB }
          life = large.max_by { |one| one.facts.code_bytes }
          return unless life
          Finding.new(rule: :jit_cut_memory, remedy: :setting, change: change(life),
            facts: {code_bytes: life.facts.code_bytes, used_share: situation.machine.memory_share, saved_bytes: saved(large), processes: large.size, query: "report"})
        end

        def saved(lives)
          above = lives.sum { |life| life.facts.code_bytes - CODE_MIB * MIB }
          Analysis::JitReport.memory(Analysis::JitReport.with_metadata(above)).round
        end

        def change(life)
          return OptionText.with(life, OptionText::CODE_SIZE, CODE_MIB) if life.facts.limit_of == "code"
          OptionText.with(life, OptionText::TOTAL_SIZE, Analysis::JitReport.with_metadata(CODE_MIB).round)
        end
        private_class_method :saved, :change
      end
    end
  end
end
