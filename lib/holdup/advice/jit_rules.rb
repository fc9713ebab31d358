# frozen_string_literal: true

module Holdup
  module Advice
    # What to do about the JIT; docs/yjit.md has the rules' numbers and sources. They look at samples of all
    # processes, so each says nothing where the figures that it needs are not known.
    module JitRules
      RULES = [NotEnabled, AtBoot, WrongHook, Saturated, LimitUnused, CutMemory, BeforeUpgrade, ThresholdFlips, ShortLives, KillerLimit, CodeGc,
        Ineffective, Redefinitions, WaitBound, ShortProcesses, PerRole, ThresholdSet, MemoryGrowsElsewhere, NoWarmup, Zjit, Unavailable, StatsEverywhere].freeze
    end
  end
end
