# frozen_string_literal: true

module Holdup
  # Advice on what was measured. A rule is a pure function: `call(situation)` takes a Situation and returns a
  # Finding or nil. A new rule goes into advice/*_rules.rb by theme, and into RULES.
  module Advice
    RULES = [
      ThreadRules::ThreadCount, ThreadRules::ProcessCount, ThreadRules::IoThreads, ThreadRules::TimeSlice,
      ThreadRules::LowerPriority,
      JobRules::JobConcurrency, JobRules::SplitQueue,
      GvlRules::Convoy, GvlRules::NativeHolds, GvlRules::IsolateEndpoints, GvlRules::ReleaseStorm,
      GvlRules::ManyAcquisitions, GvlRules::LockContention, GvlRules::MisleadingCalls,
      DatabaseRules::DbPool, DatabaseRules::DbConnections,
      MachineRules::VcpuMismatch, MachineRules::AutoscalingTrap, MachineRules::CpuThrottling,
      MachineRules::CpuMissing, MachineRules::MemoryHeadroom, MachineRules::CapacityMissing,
      RecordingRules::RecordingTooShort, RecordingRules::MixedSettings, RecordingRules::MixedApplications,
      *JitRules::RULES
    ].freeze

    # @return [Array<Finding>] largest gain first
    def self.call(situation, rules = RULES)
      rules.filter_map { |rule| rule.call(situation) }.sort_by(&:rank)
    end
  end
end
