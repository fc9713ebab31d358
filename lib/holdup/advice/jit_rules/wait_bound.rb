# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y14: units that hardly run Ruby: whatever a JIT does, it can't shorten what they wait for.
      module WaitBound
        LITTLE = 0.3
        # What YJIT makes of Ruby code in most applications.
        SPEED_UP = 1.25

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          return if situation.summary.empty? || situation.summary.jits.present.empty?
          share = ruby_share(situation)
          return if share >= LITTLE
          Finding.new(rule: :jit_bounded, remedy: :measuring,
            facts: {ruby_share: share, most_share: most_share(share), speed_up: SPEED_UP, query: "report"})
        end

        # @return [Float] of the units' time that they hold the GVL
        def ruby_share(situation)
          situation.total.split.then { |split| split.share(:cpu) + split.share(:starved) }
        end

        # @param share [Float] of the units' time that Ruby runs
        # @return [Float] by what share they get shorter at most, stall aside
        def most_share(share) = share * (1 - 1 / SPEED_UP)
      end
    end
  end
end
