# frozen_string_literal: true

module Holdup
  # What to do about what was measured: one rule a file, each a pure function of the situation.
  module Advice
    RULES = [ThreadCount, ProcessCount, IoThreads, JobConcurrency, SplitQueue, TimeSlice, LowerPriority, VcpuMismatch, AutoscalingTrap, CpuThrottling, CpuMissing, LockContention,
      ReleaseStorm, ManyAcquisitions, Convoy, IsolateEndpoints, NativeHolds, DbPool, DbConnections, MemoryHeadroom, CapacityMissing, RecordingTooShort, MixedSettings, MixedApplications,
      *JitRules::RULES].freeze

    # @param situation [Situation]
    # @param rules [Array<#call>]
    # @return [Array<Finding>] the largest gain first
    def self.call(situation, rules = RULES)
      rules.filter_map { |rule| rule.call(situation) }.sort_by(&:rank)
    end
  end
end
