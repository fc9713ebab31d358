# frozen_string_literal: true

require "holdup/loader"

# A sweep's file with readings as a test needs them.
module Swept
  Lab = Holdup::Lab
  Sweep = Lab::Sweep

  def arm(processes = 1, threads = 5, **options)
    Lab::Arm.new(processes:, threads:, **options)
  end

  def plan(arms: [arm, arm(1, 3)], **options)
    Sweep::SweepPlan.new(command: %w[puma], root: "/", requests: ["/"],
      arms: Sweep::SweepPlan.ordered(arms, arms.first), rates: [40], seconds: 10, rounds: 1, **options)
  end

  # @param p95_ms [Numeric]
  def reading(arm, p95_ms: 100, round: 0, rate: 40, **options)
    ms = 1_000_000
    endpoint = Lab::Endpoints::EndpointFigures.new(
      count: 400, acquisitions: 4, longest_hold_ns: 5 * ms, p95_ns: 90 * ms
    )
    Sweep::SettingMeasurement.new(
      arm:,
      round:,
      rate:,
      setting: {"threads" => 5},
      sent: 400,
      answered: 400,
      errors: 0,
      throughput: 40.0,
      client_p50_ns: 31 * ms,
      client_p95_ns: 101 * ms,
      client_p99_ns: 140 * ms,
      queued_ns: 2 * ms,
      stalled_ns: 8 * ms,
      running_ns: 10 * ms,
      idle_ns: 20 * ms,
      response_ns: 40 * ms,
      p50_ns: 30 * ms,
      p95_ns: (p95_ms * ms).round,
      p99_ns: 150 * ms,
      cpu_ns: 11 * ms,
      memory_bytes: 90_000_000,
      jit: {kind: "off", by: nil, code_bytes: nil, metadata_bytes: nil, saturated: false},
      cold: 0.2,
      warm_after_s: 4.0,
      warm_up_s: 6.0,
      steady: true,
      endpoints: {"GET /" => endpoint},
      **options
    )
  end

  def prediction(arm, p95_ms: 110, rate: 40, round: 0)
    ms = 1_000_000
    Sweep::SettingPrediction.new(arm:, round:, rate:, throughput: 40.0, queued_ns: 3 * ms, stalled_ns: 9 * ms,
      response_ns: 42 * ms, p50_ns: 31 * ms, p95_ns: p95_ms * ms, p99_ns: 160 * ms)
  end

  def ledger(*readings, plan: self.plan, predictions: [], path: "sweep.json")
    Sweep::ProgressFile.new(path, plan, readings:, predictions:)
  end

  def result(...) = Sweep::SweepReport.new(ledger(...))
end
