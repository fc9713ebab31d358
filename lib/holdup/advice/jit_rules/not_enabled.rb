# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y01: a server or job runner without a JIT, on a Ruby that has one.
      module NotEnabled
        # Younger processes may be about to switch it on, or to end.
        LONG_S = 60

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          lives = situation.summary.jits.off.select { |life| missing?(life) }
          return if lives.empty? || situation.summary.empty?
          share = WaitBound.ruby_share(situation)
          Finding.new(rule: :jit_not_enabled, remedy: :setting, weight: WaitBound.most_share(share), change: ProposedChange.new(new: "config.jit = :on"),
            facts: {processes: lives.size, ruby_share: share, most_share: WaitBound.most_share(share), query: "report"})
        end

        # @param life [Analysis::JitReport::ProcessLife]
        # @return [Boolean] whether it could have a JIT, and nobody said that it must not
        def missing?(life)
          life.facts.available && life.facts.wish != "off" && !life.server.nil? && !life.local? && life.age_s >= LONG_S
        end
      end
    end
  end
end
