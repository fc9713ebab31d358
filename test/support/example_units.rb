# frozen_string_literal: true

require "holdup/model/sample_block"
require "holdup/model/slowest_block"

# Unit samples by hand, for tests of the store and of what is concluded from them.
module ExampleUnits
  START_S = 20_000 * 86_400
  MS = 1_000_000
  SETTING = Holdup::Setting.new(attributes: {"ruby" => "3.4.5", "threads" => 5})
  PROCESS = Holdup::UnitSample::SampledProcess.new(pid: 7, since_ns: (START_S - 3600) * 1_000_000_000)

  module_function

  # @param at_ms [Numeric] after START_S
  def unit_sample(at_ms = 0, name: "A#b", kind: :request, queue: nil, setting: SETTING, host: "a", **rest)
    series = Holdup::Series.new(kind:, name:, queue:)
    start_ns = START_S * 1_000_000_000 + (at_ms * MS).round(-3)
    Holdup::UnitSample.new(
      series:,
      setting:,
      host:,
      process: PROCESS,
      start_ns:,
      running_ns: 8 * MS,
      cpu_ns: 7 * MS,
      idle_ns: 20 * MS,
      stalled_ns: 3 * MS,
      acquisitions: 6,
      longest_hold_ns: 2 * MS,
      gc_ns: MS,
      queued_ns: 500_000,
      in_flight_milli: 1500,
      weight: 1.0,
      **rest
    )
  end

  # @return [Holdup::SampleBlock]
  def block(unit_samples, seen: unit_samples.size, start_s: START_S, setting: SETTING, host: "a")
    Holdup::SampleBlock.new(setting:, host:, start_s:, seen:, unit_samples:)
  end

  # @param parts [Array<Array(Symbol, String, Integer)>] kind, name and ns
  # @return [Holdup::SlowUnit]
  def slow_unit(at_ms = 0, parts: [], **rest)
    parts = parts.map { |kind, name, ns| Holdup::SlowUnit::Part.new(kind:, name:, ns:) }
    idle = {io_ns: 20 * MS, lock_ns: 0, sleep_ns: 0, native_ns: 0, pool_wait_ns: 0}
    given = rest.slice(*idle.keys)
    unit = unit_sample(at_ms, **rest.except(*idle.keys, :id))
    Holdup::SlowUnit.new(unit:, parts:, id: rest[:id], **idle, **given)
  end

  # Units of the first ten minutes, as unlike as those of an application.
  def many(count, seed: 1, **rest)
    random = Random.new(seed)
    around = ->(ms) { (ms * MS * Math.exp(random.rand(-2.0..2.0))).round(-3) }
    Array.new(count) do |index|
      running_ns = around[8]
      unit_sample(
        index * 600_000.0 / count + random.rand,
        name: "Controller#{(random.rand**3 * 40).to_i}#show",
        process: PROCESS.with(pid: random.rand(1..16)),
        running_ns:,
        cpu_ns: running_ns - around[0.1].clamp(0, running_ns),
        idle_ns: around[20],
        stalled_ns: around[3],
        longest_hold_ns: around[3],
        gc_ns: random.rand(3).zero? ? around[1] : 0,
        queued_ns: around[1],
        acquisitions: random.rand(1..60),
        in_flight_milli: random.rand(1000..5000),
        concurrency: (concurrency = random.rand(0..3)),
        rest_ns: concurrency.zero? ? around[50] : 0,
        **rest
      )
    end
  end
end
