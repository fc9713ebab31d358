# frozen_string_literal: true

require_relative "advice/applications_mixed"
require_relative "advice/acquisitions"
require_relative "advice/autoscaling_trap"
require_relative "advice/convoy"
require_relative "advice/cpu_throttling"
require_relative "advice/db_connections"
require_relative "advice/db_pool"
require_relative "advice/io_threads"
require_relative "advice/isolation"
require_relative "advice/jit"
require_relative "advice/job_concurrency"
require_relative "advice/lock_contention"
require_relative "advice/memory_headroom"
require_relative "advice/native"
require_relative "advice/priority"
require_relative "advice/process_count"
require_relative "advice/queue_larger"
require_relative "advice/queue_split"
require_relative "advice/release_storm"
require_relative "advice/settings_mixed"
require_relative "advice/short_sampling"
require_relative "advice/situation"
require_relative "advice/starved"
require_relative "advice/thread_count"
require_relative "advice/time_slice"
require_relative "advice/vcpu_mismatch"

module Holdup
  # What to do about what was measured: one rule a file, each a pure function of the situation.
  module Advice
    RULES = [ThreadCount, ProcessCount, IoThreads, JobConcurrency, QueueSplit, TimeSlice, Priority, VcpuMismatch, AutoscalingTrap, CpuThrottling, Starved, LockContention,
      ReleaseStorm, Acquisitions, Convoy, Isolation, Native, DbPool, DbConnections, MemoryHeadroom, QueueLarger, ShortSampling, SettingsMixed, ApplicationsMixed,
      *Jit::RULES].freeze

    # @param situation [Situation]
    # @param rules [Array<#call>]
    # @return [Array<Finding>] the largest gain first
    def self.call(situation, rules = RULES) = rules.filter_map { |rule| rule.call(situation) }.sort_by(&:rank)
  end
end
