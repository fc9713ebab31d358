# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y21: a Ruby that was built without YJIT. Rails' config.yjit then does nothing, and says nothing.
      module Unavailable
        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          lives = situation.summary.jits.present.select { |life|
            life.facts.available == false && !life.facts.on?
          }
          return if lives.empty?
          Finding.new(rule: :jit_unavailable, remedy: :machine, weight: 0.05,
            facts: {processes: lives.size, ruby: lives.first["ruby"].to_s, platform: lives.first["platform"].to_s, query: "doctor"})
        end
      end
    end
  end
end
