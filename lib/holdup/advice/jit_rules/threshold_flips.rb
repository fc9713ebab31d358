# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y08: about as many loaded methods and blocks as the default threshold changes at, so two workers may
      # differ.
      module ThresholdFlips
        NEAR = (35_000..45_000)
        # What holds below and above; an explicit 30 counts as the default.
        LOW = 30
        HIGH = 120
        PINNED = {LOW => 31, HIGH => 120}.freeze

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          life = situation.summary.jits.on.find { |one|
            NEAR.cover?(one.facts.live_iseqs) && !pinned?(one.facts)
          }
          return unless life
          Finding.new(rule: :jit_threshold_flips, remedy: :setting, change: OptionText.with(life, OptionText::THRESHOLD, PINNED.fetch(life.facts.threshold)),
            facts: {live: life.facts.live_iseqs, threshold: life.facts.threshold, query: "doctor --json"})
        end

        def pinned?(jit)
          !PINNED.key?(jit.threshold) || jit.options.to_s.match?(/#{OptionText::THRESHOLD}=(?!#{LOW}\b)/o)
        end
        private_class_method :pinned?
      end
    end
  end
end
