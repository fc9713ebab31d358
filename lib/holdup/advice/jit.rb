# frozen_string_literal: true

require_relative "jit/at_boot"
require_relative "jit/before_upgrade"
require_relative "jit/bounded"
require_relative "jit/code_gc"
require_relative "jit/cut_memory"
require_relative "jit/ineffective"
require_relative "jit/killer_limit"
require_relative "jit/limit_unused"
require_relative "jit/memory_elsewhere"
require_relative "jit/no_warmup"
require_relative "jit/not_enabled"
require_relative "jit/per_role"
require_relative "jit/redefinitions"
require_relative "jit/saturated"
require_relative "jit/short_lives"
require_relative "jit/short_processes"
require_relative "jit/stats_everywhere"
require_relative "jit/threshold_flips"
require_relative "jit/threshold_set"
require_relative "jit/unavailable"
require_relative "jit/wrong_hook"
require_relative "jit/zjit"

module Holdup
  module Advice
    # What to do about the JIT; docs/yjit.md has the rules' numbers and sources. They look at samples of all processes, so
    # each says nothing where the figures that it needs are not known.
    module Jit
      RULES = [NotEnabled, AtBoot, WrongHook, Saturated, LimitUnused, CutMemory, BeforeUpgrade, ThresholdFlips, ShortLives, KillerLimit, CodeGc,
        Ineffective, Redefinitions, Bounded, ShortProcesses, PerRole, ThresholdSet, MemoryElsewhere, NoWarmup, Zjit, Unavailable, StatsEverywhere].freeze
    end
  end
end
