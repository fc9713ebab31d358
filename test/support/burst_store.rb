# frozen_string_literal: true

require "holdup/loader"
require "holdup/model/sample_block"

# A store with short units at known seconds, as a collector would have written them: windows, single units,
# and samples of the process.
class BurstStore
  NS = 1_000_000_000
  MS = 1_000_000
  DAY_S = 86_400
  START_S = 20_700 * DAY_S
  FACTS = {"ruby" => "3.4.5", "server" => "puma", "workers" => 1, "threads" => 5, "vcpus" => 2}.freeze
  SETTING = Holdup::Setting.new(attributes: FACTS)
  # How long after the last unit somebody asks, by what the shortest windows are then.
  AGES_S = {60 => 0, 300 => 4 * DAY_S, 3600 => 20 * DAY_S}.freeze

  # Units of one process, evenly between two seconds after START_S.
  Burst = Data.define(:from_s, :to_s, :count, :kind, :pid, :born_s, :setting, :host) do
    def initialize(from_s:, to_s:, count:, kind: :request, pid: 7, born_s: from_s - 300, setting: SETTING,
      host: "a")
      super
    end

    # @return [Array<UnitSample>]
    def unit_samples
      step_ns = (to_s - from_s) * NS / count
      Array.new(count) { |index| unit_sample(((START_S + from_s) * NS + index * step_ns).round(-3), step_ns) }
    end

    def series
      return Holdup::Series.new(kind:, name: "A#b") unless kind == :job
      Holdup::Series.new(kind:, name: "ReportJob", queue: "default")
    end

    private

    def unit_sample(start_ns, step_ns)
      wall_ns = [step_ns, 8 * MS].min.round(-3)
      process = Holdup::UnitSample::SampledProcess.new(pid:, since_ns: (START_S + born_s) * NS)
      Holdup::UnitSample.new(
        series:,
        setting:,
        host:,
        process:,
        start_ns:,
        running_ns: wall_ns,
        cpu_ns: wall_ns,
        idle_ns: 0,
        stalled_ns: 0,
        acquisitions: 2,
        longest_hold_ns: wall_ns,
        gc_ns: 0,
        queued_ns: 0,
        in_flight_milli: 1000,
        weight: 1.0
      )
    end
  end

  # @param bursts [Array<Burst>]
  # @param late_s [Integer] seconds after which the collector sees a unit
  # @param singles [Boolean] whether units are kept singly
  # @param samples [Boolean] whether processes are sampled
  # @param idle_s [Integer] for how long processes are there after their last unit
  def initialize(*bursts, late_s: 0, singles: true, samples: true, idle_s: 0)
    @bursts = bursts
    @late_s = late_s
    @singles = singles
    @samples = samples
    @idle_s = idle_s
  end

  # @param finest_s [Integer] seconds of the shortest windows that are still there
  # @param url [String]
  # @return [Holdup::Store::Sql]
  def open(finest_s: 60, url: "memory:")
    store = Holdup::Store.open(url)
    store.commit(windows + accounts, {})
    now_s = START_S + @bursts.map(&:to_s).max.ceil + 60 + AGES_S.fetch(finest_s)
    store.rollup(now_s)
    store.prune(now_s, max_bytes: 1 << 40)
    # A store that is full loses windows sooner than what follows.
    blocks = @singles ? Holdup::SampleBlock.of(unit_samples) : []
    store.commit([], {}, unit_samples: blocks, processes: @samples ? samples : [])
    store
  end

  private

  def unit_samples = @unit_samples ||= @bursts.flat_map(&:unit_samples)

  def windows
    by_window = unit_samples.group_by do |unit|
      [unit.series, unit.setting, (unit.end_ns / NS + @late_s) / 60 * 60, unit.host]
    end
    by_window.map { |(series, setting, start_s), same| window(series, setting, start_s, same) }
  end

  def window(series, setting, start_s, same)
    fields = {wall: :wall_ns, running: :running_ns, stalled: :stalled_ns, idle: :idle_ns, queued: :queued_ns,
              longest_hold: :longest_hold_ns}
    histograms = fields.transform_values { |field| Holdup::Histogram.of(same.map(&field)) }
    empty = Holdup::Window.empty(series:, setting:, host: same.first.host, start_s:, seconds: 60)
    sums = empty.sums.merge(cpu_ns: same.sum(&:cpu_ns), acquisitions: 2 * same.size)
    empty.with(count: same.size, histograms:, sums:)
  end

  # A thread of the process that wakes up each second, also while no unit runs.
  def accounts
    @bursts.flat_map { |burst| minutes(burst).map { |start_s| account(burst, start_s) } }
  end

  def account(burst, start_s)
    series = Holdup::Series.new(kind: :account, name: "thread:timer")
    empty = Holdup::Window.empty(series:, setting: burst.setting, host: burst.host, start_s:, seconds: 60)
    sums = empty.sums.merge(cpu_ns: 6 * MS, native_ns: 6 * MS, acquisitions: 60)
    empty.with(sums:, histograms: empty.histograms.merge(running: Holdup::Histogram.of_sum(6 * MS)))
  end

  def minutes(burst)
    first_s = (START_S + burst.born_s) / 60 * 60
    (first_s..START_S + burst.to_s + @idle_s).step(60).map(&:to_i)
  end

  def samples
    all = @bursts.flat_map { |burst|
      minutes(burst).flat_map { |at_s| [process(burst, at_s), container(burst, at_s)] }
    }
    all.uniq { |sample| sample.values_at(:at_s, :host, :pid) }
  end

  def process(burst, at_s)
    {at_s:, host: burst.host, pid: burst.pid, start: burst.born_s,
     since_s: START_S + burst.born_s, name: "worker 0", server: "puma", setting: burst.setting.fingerprint,
     cpu_ns: cpu_ns(at_s), rss_bytes: 300_000_000,
     "pool.0": "web", "pool.0.max": 5, "pool.0.busy": 1}
  end

  # What runs beside the application uses a tenth of a CPU, whatever the load is.
  def container(burst, at_s)
    used_ns = cpu_ns(at_s) + (at_s - START_S) * NS / 10
    {at_s:, host: burst.host, pid: 0, name: "container", cpus: 2, vcpus: 2.0, cpu_ns: used_ns}
  end

  def cpu_ns(at_s)
    unit_samples.sum { |unit| (unit.start_ns < at_s * NS) ? unit.cpu_ns : 0 }
  end
end
