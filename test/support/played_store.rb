# frozen_string_literal: true

require "holdup/loader"
require "holdup/model/sample_block"
require "tmpdir"
require_relative "played_recording"

# What a collector would have written of a server whose every unit is known, because the replay made it:
# windows, single units and samples of its processes, with the levers of its Puma.
class PlayedStore
  Sizing = Holdup::Advise::Sizing
  NS = 1_000_000_000
  START_S = 1_790_000_400
  HOST = "web-1"
  LEVERS = {"lever.threads.value": 5,
            "lever.threads.write": "threads N, N",
            "lever.threads.how": "restart",
            "lever.threads.where": "config/puma.rb:12",
            "lever.processes.value": 1,
            "lever.processes.write": "workers N",
            "lever.processes.how": "restart",
            "lever.processes.where": "config/puma.rb:14"}.freeze

  # That of tests which only need some: made once for all of them, as is what they share of its sizing.
  def self.usual = @usual ||= new(PlayedRecording.new(minutes: 10))

  # @param recording [PlayedRecording] its shapes, its load, its setting
  # @param facts [Hash] more of the setting
  # @param from_s [Integer] when it begins
  # @param booted_s [Integer] when its processes began
  # @param held_per_cpu [Float] GVL held against CPU used
  # @param pool_share [Float] of the elapsed time, waiting for connections
  # @param pid [Integer] of its first process
  # @param host [String]
  # @param queues [String, nil] jobs that wait in the last minute, see Holdup::WaitingQueue
  def initialize(recording = PlayedRecording.new(minutes: 20), facts: {}, from_s: START_S,
    booted_s: from_s - 3600, held_per_cpu: 1.0, pool_share: 0.0, pid: 7, host: HOST, queues: nil)
    @recording = recording
    @from_s = from_s
    @booted_s = booted_s
    @held_per_cpu = held_per_cpu
    @pool_share = pool_share
    @pid = pid
    @host = host
    @queues = queues
    others = recording.other_kind
    shapes = [shape(recording, recording.threads - others&.threads.to_i)]
    shapes << shape(others, others.threads) if others
    attributes = {"ruby" => "3.3.8", "engine" => "ruby", "vcpus" => recording.vcpus}
    @setting = Holdup::Setting.new(attributes: attributes.merge(*shapes, facts))
  end

  attr_reader :from_s

  def to_s = from_s + @recording.arrivals.size * 60

  # @param others [Array<PlayedStore>] what else was measured
  # @yieldparam path [String] a SQLite store with it
  def in_a_file(*others)
    Dir.mktmpdir do |folder|
      path = File.join(folder, "store.sqlite3")
      File.binwrite(path, written(folder, others))
      yield path
    end
  end

  # @param store [Holdup::Store::Sql]
  # @return [void]
  def fill(store)
    store.commit(windows, {}, processes: samples, unit_samples: blocks)
  end

  private

  # @return [String] the whole file, which is made once
  def written(folder, others)
    @written ||= {}
    @written[others] ||= begin
      path = File.join(folder, "made.sqlite3")
      store = Holdup::Store.open(path)
      [self, *others].each { |each| each.fill(store) }
      store.close
      File.binread(path).tap { File.delete(path) }
    end
  end

  def shape(recording, threads)
    if recording.kind == :job
      {"jobs" => "sidekiq", "job_threads" => threads}
    else
      {"server" => "puma", "workers" => recording.processes, "threads" => threads}
    end
  end

  def unit_samples
    @unit_samples ||= begin
      own, concurrent = played.rows.then { |all|
        [all.first(trace.size), all.drop(trace.size)]
      }
      own.zip(trace.units,
        drawn).map { |result, unit, unit_sample|
        singly(result, unit,
          unit_sample)
      } + concurrent.zip(trace.concurrent_units.units).filter_map { |result, unit| finished(result, unit) }
    end
  end

  def traffic
    @traffic ||= Sizing::Traffic.of(@recording.unit_samples, @recording.arrivals, pools: @recording.pools,
      concurrent_units: @recording.concurrent_units)
  end

  def trace
    @trace ||= traffic.peak(rate: traffic.mean_rate, units: (traffic.mean_rate * (to_s - from_s)).floor)
  end

  def drawn
    traffic.drawn(rate: traffic.mean_rate, units: trace.size)
  end

  def played
    @played ||= begin
      scenario = Sizing::Scenario.of(
        processes: @recording.processes,
        threads: @recording.threads,
        other_threads: @recording.pools.other_threads,
        vcpus: @recording.vcpus,
        assignment: (@recording.kind == :job) ? :shared : :least_busy
      )
      Sizing::Replay.call(trace, scenario)
    end
  end

  def singly((queued, stalled, held, _), unit, unit_sample)
    unit_sample.with(
      setting: @setting,
      host: @host,
      process: Holdup::UnitSample::SampledProcess.new(pid: @pid, since_ns: @booted_s * NS),
      start_ns: from_s * NS + unit.arrival_ns,
      running_ns: held,
      cpu_ns: (held / @held_per_cpu).round,
      idle_ns: unit.idle_ns,
      stalled_ns: stalled,
      queued_ns: queued,
      longest_hold_ns: held / (unit.acquisitions + 1),
      weight: 1.0
    )
  end

  # Those that were done in time.
  def finished(result, unit)
    if result.last.positive?
      singly(result, unit, @recording.other_kind.unit_samples.first.with(acquisitions: unit.acquisitions))
    end
  end

  def blocks
    unit_samples.group_by { |unit| Holdup::SampleBlock.start_of(unit.start_ns) }.map do |start_s, same|
      empty = Holdup::SampleBlock.new(setting: @setting, host: @host, start_s:, seen: 0, unit_samples: [])
      empty.merge(empty.with(seen: same.size, unit_samples: same))
    end
  end

  def windows
    @windows ||= by_minute(&:series) + pool_windows
  end

  def pool_windows
    return [] if !@recording.pools.several? || @recording.other_kind
    by_minute do |unit_sample|
      pool = unit_sample.series.queue
      Holdup::Series.new(kind: :pool, name: pool, queue: pool)
    end
  end

  def by_minute
    inside.group_by { |unit_sample|
      [yield(unit_sample),
        unit_sample.start_ns / NS / 60 * 60]
    }.map { |(series, start_s), same|
      window(series, start_s, same)
    }
  end

  def inside
    unit_samples.select { |unit_sample| unit_sample.start_ns < to_s * NS }
  end

  def window(series, start_s, same)
    histograms = {wall: :wall_ns, running: :running_ns, stalled: :stalled_ns, idle: :idle_ns,
                  queued: :queued_ns, longest_hold: :longest_hold_ns}
      .transform_values { |field|
      Holdup::Histogram.of(same.map(&field))
    }
    empty = Holdup::Window.empty(series:, setting: @setting, host: @host, start_s:, seconds: 60)
    sums = {
      cpu_ns: same.sum(&:cpu_ns),
      io_ns: same.sum(&:idle_ns),
      acquisitions: same.sum(&:acquisitions),
      caused_ns: same.sum(&:stalled_ns),
      pool_wait_ns: (same.sum(&:wall_ns) * @pool_share).round
    }
    empty.with(count: same.size, histograms:, sums: empty.sums.merge(sums))
  end

  def samples
    (from_s...to_s).step(60).flat_map do |at_s|
      [*Array.new(@recording.processes) { |index| process(at_s, index) },
        {at_s:, host: @host, pid: 0, name: "container", cpus: 2, vcpus: @recording.vcpus,
         cpu_ns: (at_s - from_s) * NS / 2, memory_bytes: 600_000_000, reclaimable_bytes: 0,
         memory_limit_bytes: 4_000_000_000}]
    end
  end

  def process(at_s, index)
    jobs = @recording.kind == :job
    {at_s:, host: @host, pid: @pid + index, start: 1, since_s: @booted_s, name: "worker #{index}",
     server: jobs ? "sidekiq" : "puma", setting: @setting.fingerprint, cpu_ns: (at_s - from_s) * NS / 3,
     rss_bytes: 300_000_000, pss_bytes: 200_000_000, **pools, **waiting(at_s), **LEVERS}
  end

  def waiting(at_s) = (@queues && at_s + 60 >= to_s) ? {"waiting.0.0": @queues} : {}

  # The first is the busiest.
  def pools
    several = @recording.pools
    known = several.names.zip([several.threads - several.other_threads.sum, *several.other_threads])
    known = [[(@recording.kind == :job) ? "default" : "web", @recording.threads]] if known.empty?
    known.each_with_index.flat_map { |(name, max), index|
      [[:"pool.#{index}", name],
        [:"pool.#{index}.max", max], [:"pool.#{index}.busy", known.size + 1 - index]]
    }.to_h
  end
end
