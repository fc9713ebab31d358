# frozen_string_literal: true

require_relative "jit_rules/at_boot"
require_relative "jit_rules/before_upgrade"
require_relative "jit_rules/wait_bound"
require_relative "jit_rules/code_gc"
require_relative "jit_rules/cut_memory"
require_relative "jit_rules/ineffective"
require_relative "jit_rules/killer_limit"
require_relative "jit_rules/limit_unused"
require_relative "jit_rules/memory_grows_elsewhere"
require_relative "jit_rules/no_warmup"
require_relative "jit_rules/not_enabled"
require_relative "jit_rules/per_role"
require_relative "jit_rules/redefinitions"
require_relative "jit_rules/saturated"
require_relative "jit_rules/short_lives"
require_relative "jit_rules/short_processes"
require_relative "jit_rules/stats_everywhere"
require_relative "jit_rules/threshold_flips"
require_relative "jit_rules/threshold_set"
require_relative "jit_rules/unavailable"
require_relative "jit_rules/wrong_hook"
require_relative "jit_rules/zjit"

module Holdup
  module Advice
    # What to do about the JIT; docs/yjit.md has the rules' numbers and sources. They look at samples of all processes, so
    # each says nothing where the figures that it needs are not known.
    module JitRules
      RULES = [NotEnabled, AtBoot, WrongHook, Saturated, LimitUnused, CutMemory, BeforeUpgrade, ThresholdFlips, ShortLives, KillerLimit, CodeGc,
        Ineffective, Redefinitions, WaitBound, ShortProcesses, PerRole, ThresholdSet, MemoryGrowsElsewhere, NoWarmup, Zjit, Unavailable, StatsEverywhere].freeze
    end
  end
end
