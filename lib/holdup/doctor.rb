# frozen_string_literal: true

module Holdup
  # What is measured on this host, what is missing, and why a number may be wrong. Examination looks at the
  # host and fills a Host; the checks judge it, so each can be tested alone.
  #
  # A check is `call(host)`, which returns a CheckResult, several, or [] if it does not apply. A new check
  # goes into doctor/*_checks.rb by theme, and into CHECKS.
  module Doctor
    # In the order in which measurements travel: what breaks first comes first.
    CHECKS = [
      ProbeChecks::RubySupport, ProbeChecks::ClockSource,
      SegmentChecks::SegmentFolder, SegmentChecks::Segments,
      ServerChecks::Servers, ServerChecks::UnmeasuredServers, ServerChecks::EnvironmentVariables,
      SegmentChecks::Heartbeat,
      StoreChecks::CollectorLock, StoreChecks::StoreState, StoreChecks::SkippedRows,
      StoreChecks::Applications,
      ProbeChecks::StallIdentity, ProbeChecks::MnThreads, ProbeChecks::Fibers,
      JitChecks::Activation, JitChecks::Origin, JitChecks::Effect, JitChecks::ShortLives,
      ServerChecks::MemoryKillers, SegmentChecks::RuleCaptures, ServerChecks::QueueHeader,
      ServerChecks::RedisLatency, StoreChecks::Drift, SegmentChecks::SeriesOverflow,
      ScalingChecks::Autoscale,
      ProbeChecks::Anomalies
    ].freeze

    # `level` is :ok, :warn or :fail; `key` names the sentence (`doctor_<key>`) and the remedy
    # (`doctor_<key>_fix`, none for :ok); `facts` fill them in.
    CheckResult = Data.define(:level, :key, :facts) do
      def self.ok(key, **facts)
        new(level: :ok, key:, facts:)
      end

      def self.warn(key, **facts)
        new(level: :warn, key:, facts:)
      end

      def self.fail(key, **facts)
        new(level: :fail, key:, facts:)
      end

      def ok? = level == :ok

      def fail? = level == :fail
    end

    def self.call(host)
      CHECKS.flat_map { |check| check.call(host) }
    end
  end
end
