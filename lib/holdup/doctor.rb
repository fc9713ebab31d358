# frozen_string_literal: true

require_relative "doctor/host"
require_relative "doctor/checks/anomalies"
require_relative "doctor/checks/applications"
require_relative "doctor/checks/autoscale"
require_relative "doctor/checks/books"
require_relative "doctor/checks/captures"
require_relative "doctor/checks/clock_source"
require_relative "doctor/checks/collector"
require_relative "doctor/checks/drift"
require_relative "doctor/checks/fibers"
require_relative "doctor/checks/folder"
require_relative "doctor/checks/heartbeat"
require_relative "doctor/checks/jit"
require_relative "doctor/checks/jit_effect"
require_relative "doctor/checks/jit_lives"
require_relative "doctor/checks/jit_origin"
require_relative "doctor/checks/killers"
require_relative "doctor/checks/mn_threads"
require_relative "doctor/checks/queue_header"
require_relative "doctor/checks/redis"
require_relative "doctor/checks/ruby"
require_relative "doctor/checks/segments"
require_relative "doctor/checks/series"
require_relative "doctor/checks/servers"
require_relative "doctor/checks/skipped_rows"
require_relative "doctor/checks/store"
require_relative "doctor/checks/unmeasured"
require_relative "doctor/checks/variables"

module Holdup
  # What is measured on this host, what is missing, and why a number may be wrong. Looking at the host (Examination) and
  # judging what was seen (one check a file) are apart, so every judgement can be tested without arranging the world.
  module Doctor
    # In the order in which measurements travel: what breaks first is listed first.
    CHECKS = [
      Checks::Ruby, Checks::ClockSource, Checks::Folder, Checks::Segments, Checks::Servers,
      Checks::Unmeasured, Checks::Variables, Checks::Heartbeat, Checks::Collector, Checks::Store, Checks::SkippedRows,
      Checks::Applications, Checks::Books, Checks::MnThreads, Checks::Fibers, Checks::Jit,
      Checks::JitOrigin, Checks::JitEffect, Checks::JitLives, Checks::Killers, Checks::Captures,
      Checks::QueueHeader, Checks::Redis, Checks::Drift, Checks::Series, Checks::Autoscale,
      Checks::Anomalies
    ].freeze

    # @param host [Host]
    # @return [Array<CheckResult>]
    def self.call(host) = CHECKS.flat_map { |check| check.call(host) }
  end
end
