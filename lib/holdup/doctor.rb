# frozen_string_literal: true

module Holdup
  # What is measured on this host, what is missing, and why a number may be wrong. Looking at the host
  # (Examination) and judging what was seen (one check a file) are apart, so every judgement can be tested
  # without arranging the world.
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
    def self.call(host)
      CHECKS.flat_map { |check| check.call(host) }
    end
  end
end
