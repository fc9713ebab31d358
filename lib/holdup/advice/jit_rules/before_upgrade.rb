# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y07: more code on Ruby 3.3 than 3.4 has room for by default: from there on the limit is of code and
      # metadata together.
      module BeforeUpgrade
        MIB = 1 << 20
        CODE_MIB = 36
        ROOM = 1.15

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          life = situation.summary.jits.on.select { |one| one.ruby && !one.ruby.limits_total? && one.facts.total_bytes }.max_by { |one|
            one.facts.code_bytes
          }
          return unless life && life.facts.code_bytes > CODE_MIB * MIB
          Finding.new(rule: :jit_before_upgrade, remedy: :setting, change: ProposedChange.new(new: "RUBYOPT=\"#{OptionText::WAIT} #{OptionText::TOTAL_SIZE}=#{needed_mib(life.facts)}\""),
            facts: {code_bytes: life.facts.code_bytes, total_bytes: life.facts.total_bytes, query: "report"})
        end

        def needed_mib(jit)
          (jit.total_bytes * ROOM / MIB).ceil
        end
        private_class_method :needed_mib
      end
    end
  end
end
