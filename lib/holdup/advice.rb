# frozen_string_literal: true

require_relative "advice/mixed_applications"
require_relative "advice/many_acquisitions"
require_relative "advice/autoscaling_trap"
require_relative "advice/convoy"
require_relative "advice/cpu_throttling"
require_relative "advice/db_connections"
require_relative "advice/db_pool"
require_relative "advice/io_threads"
require_relative "advice/isolate_endpoints"
require_relative "advice/jit_rules"
require_relative "advice/job_concurrency"
require_relative "advice/lock_contention"
require_relative "advice/memory_headroom"
require_relative "advice/native_holds"
require_relative "advice/lower_priority"
require_relative "advice/process_count"
require_relative "advice/capacity_missing"
require_relative "advice/split_queue"
require_relative "advice/release_storm"
require_relative "advice/mixed_settings"
require_relative "advice/recording_too_short"
require_relative "advice/situation"
require_relative "advice/cpu_missing"
require_relative "advice/thread_count"
require_relative "advice/time_slice"
require_relative "advice/vcpu_mismatch"

module Holdup
  # What to do about what was measured: one rule a file, each a pure function of the situation.
  module Advice
    RULES = [ThreadCount, ProcessCount, IoThreads, JobConcurrency, SplitQueue, TimeSlice, LowerPriority, VcpuMismatch, AutoscalingTrap, CpuThrottling, CpuMissing, LockContention,
      ReleaseStorm, ManyAcquisitions, Convoy, IsolateEndpoints, NativeHolds, DbPool, DbConnections, MemoryHeadroom, CapacityMissing, RecordingTooShort, MixedSettings, MixedApplications,
      *JitRules::RULES].freeze

    # @param situation [Situation]
    # @param rules [Array<#call>]
    # @return [Array<Finding>] the largest gain first
    def self.call(situation, rules = RULES) = rules.filter_map { |rule| rule.call(situation) }.sort_by(&:rank)
  end
end
