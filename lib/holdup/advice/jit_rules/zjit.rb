# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y20: ZJIT, which its own authors advise against for production in Ruby 4.0.
      module Zjit
        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          lives = situation.summary.jits.on.select { |life| life.facts.kind == "zjit" }
          return if lives.empty?
          Finding.new(rule: :jit_zjit, remedy: :setting, weight: 0.05, change: ProposedChange.new(new: "config.jit = :on"),
            facts: {processes: lives.size, ruby: lives.first["ruby"].to_s, query: "doctor"})
        end
      end
    end
  end
end
