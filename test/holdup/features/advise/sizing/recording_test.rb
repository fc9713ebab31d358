# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/counted_arrivals"
require_relative "../../../../support/played_store"
require "support/example_units"

module Holdup::Advise::Sizing
  class RecordingTest < Minitest::Test
    Read = Data.define(:windows, :unit_samples, :samples)

    def read(played)
      played.in_a_file do |path|
        store = Holdup::Store.open(path, read_only: true)
        Read.new(windows: store.windows(played.from_s, played.to_s).to_a,
          unit_samples: store.unit_samples(played.from_s, played.to_s).to_a,
          samples: store.processes(played.from_s, played.to_s))
      ensure
        store&.close
      end
    end

    def observe(kind: :request, facts: {}, **recording)
      played = PlayedStore.new(PlayedRecording.new(kind:, minutes: 6, **recording), facts:)
      found = read(played)
      members = Holdup::Analysis::ProcessReport.new(found.samples, from_s: played.from_s,
        to_s: played.to_s).members
      Recording.of(**found.to_h, kind:, members:)
    end

    # The GVL was held for 10 ms, 8 of them on a CPU; for 10 or 50 % of the time the processes waited for one.
    def test_waits_for_a_cpu_are_no_part_of_what_units_ask_for
      assert_equal [9_000_000, 8_000_000, 10_000_000],
        [0.1, 0.5, nil].map { |share| starved(share).demand.held_ns.round }
      assert_equal [7_200_000, 1_800_000],
        starved(0.1).unit_samples.first.then { |unit| [unit.running_ns, unit.longest_hold_ns] }
      assert_equal 8_000_000, starved(nil).unit_samples.first.running_ns
      assert_equal 1.25, starved(0.5).held_per_cpu
    end

    Held = Data.define(:demand, :unit_samples, :held_per_cpu, :setting) do
      def fingerprints = [setting.fingerprint]
    end

    def unknown(type)
      type.new(**type.members.to_h { |name| [name, nil] })
    end

    def starved(waiting_share)
      pool = unknown(Holdup::Analysis::ProcessReport::ProcessPool)
      member = unknown(Holdup::Analysis::ProcessReport::MeasuredProcess)
      member = member.with(setting: ExampleUnits::SETTING.fingerprint, waiting_share:, from_s: 0, to_s: 60,
        pools: [pool.with(name: "web", max: 5)])
      demand = ServiceDemand.new(held_ns: 10e6, cpu_ns: 8e6, idle_ns: 20e6)
      Recording.new(
        Held.new(demand:, unit_samples: [ExampleUnits.unit_sample], held_per_cpu: 1.25,
          setting: ExampleUnits::SETTING), kind: :request, members: [member]
      )
    end

    Some = Data.define(:windows, :unit_samples, :setting, :blocks) do
      def initialize(blocks: [], **rest)
        super
      end

      def arrival_times = Recording::ArrivalTimes.new(blocks, kind: :request)

      def measured_time = Holdup::Analysis::MeasuredTime.of(unit_samples)

      def fingerprints = []

      def arrivals = counts.counts(windows)

      def recorded_in(minute_s) = counts.singly(minute_s)

      def counts
        Recording::MinuteCounts.new(unit_samples, Holdup::Analysis::ProcessBoots.new([], []))
      end
    end

    def test_a_web_server
      found = observe(processes: 2, threads: 3, rate: 20.0)
      assert_equal [2, 3, 1, 100_000_000], [found.processes, found.threads, found.hosts, found.time_slice_ns]
      assert_empty found.problems
      refute found.slices?
      assert_in_delta 1, found.arrivals.values.sum / found.units, 0.01
      assert_in_delta found.demand.held_ns * found.units / (360e9 * 2), found.measured.utilisation, 0.02
      assert_operator found.measured.p95_ns, :>, found.measured.response_ns
    end

    def test_a_job_runner_tells_its_processes_by_being_there
      found = observe(kind: :job, processes: 2, threads: 4)
      assert_equal [2, 4], [found.processes, found.threads]
    end

    def test_time_slices
      found = observe(facts: {"ruby" => "3.4.5", "time_slice_ms" => "10"})
      assert_equal [true, 10_000_000], [found.slices?, found.time_slice_ns]
      assert_equal 50_000_000, observe(kind: :job, facts: {"job_priority" => -1}).time_slice_ns
    end

    one_ruby def test_what_nothing_can_be_said_of
      assert_equal [:unsupported], observe(facts: {"engine" => "jruby"}).problems
      assert_equal [:unsupported], observe(facts: {"fibers" => true}).problems
      assert_includes observe(rate: 0.3, swing: 0.0).problems, :few_units
      nothing = Recording.of(windows: [], unit_samples: [], kind: :request)
      assert_equal [:no_recording], nothing.problems
      assert_empty nothing.warnings
    end

    def test_longer_windows_are_spread_over_their_minutes
      found = observe
      whole = found.windows.first.with(start_s: 1_790_000_400, seconds: 300, count: 50)
      assert_equal [10.0] * 5,
        Recording.new(Some.new(windows: [whole], unit_samples: [], setting: nil),
          kind: :request).arrivals.values
    end

    # Half of a minute with 50 units has the load of a minute with 100, also where its window has 20 of the
    # minute before: the collector reads every ten seconds.
    def test_minutes_that_were_recorded_in_part
      found = observe
      half = [30, 60].map { |passed|
        found.unit_samples.first.with(start_ns: (1_790_000_400 + passed) * 1_000_000_000, running_ns: 0,
          idle_ns: 0, stalled_ns: 0, weight: 1.0)
      }
      half = [*half[0, 1] * 49, half[1].with(start_ns: half[1].start_ns - 1)]
      [50, 70].each do |count|
        window = found.windows.first.with(start_s: 1_790_000_400, seconds: 60, count:)
        recording = Some.new(windows: [window], unit_samples: half, setting: nil)
        arrivals = Recording.new(recording, kind: :request).arrivals
        assert_in_delta 100.0, arrivals.fetch(1_790_000_400), 1e-3
      end
    end

    # 40 s from the middle of a minute on, read at the end: the window of one minute has all, and each request
    # holds the GVL for 10 ms, 20 times a second.
    def test_the_utilisation_of_a_short_recording
      found = observe(processes: 1)
      units = Array.new(800) do |index|
        ExampleUnits.unit_sample(29_000 + 50 * index, running_ns: 10_000_000, idle_ns: 1_000, stalled_ns: 0,
          setting: found.setting)
      end
      recorded = found.windows.first
      held = Holdup::Histogram.of(units.map(&:running_ns))
      window = recorded.with(**units.first.to_h.slice(:series, :host), start_s: ExampleUnits::START_S,
        seconds: 60, count: units.size, histograms: {**recorded.histograms, running: held, wall: held})
      short = Recording.of(kind: :request, windows: [window], unit_samples: units, warm_up_s: 0)
      assert_in_delta 0.2, short.measured.utilisation, 0.01
    end

    # The window of the next minute has the one that ended then.
    def test_counts_of_arrivals_say_when_units_came
      arrivals = counted.arrivals
      expected = {0 => 3.0, 60 => 0.0, 120 => 60 / 59.0}
      assert_equal expected.keys, arrivals.keys.map { |start_s| start_s - COUNTED_S }
      expected.each { |at_s, count| assert_in_delta count, arrivals[COUNTED_S + at_s], 0.01 }
    end

    def test_counts_of_some_hosts_do_not_say_when_units_came
      assert_equal [2.0, 1.0], counted(others: ["b"]).arrivals.values.first(2)
    end

    # Of many hosts, some ten minutes are read.
    def test_minutes_that_were_not_read_have_the_units_of_their_windows
      later = counted(windows: {0 => 2, 60 => 1, 120 => 1, 1200 => 7, 1860 => 1}, last_s: 1_860).arrivals
      assert_in_delta 7.0, later.fetch(COUNTED_S + 1200)
    end

    COUNTED_S = 1_790_000_400

    # @param windows [Hash{Integer => Integer}] second => units of that minute's window
    # @param others [Array<String>] hosts without counts
    # @param last_s [Integer] start of the last unit
    def counted(windows: {0 => 2, 60 => 1, 120 => 1}, others: [], last_s: 179)
      example = observe
      units = {0 => 0, 30 => 0, 59 => 5, last_s => 0}.map do |at_s, took_s|
        example.unit_samples.first.with(start_ns: (COUNTED_S + at_s) * 1_000_000_000, queued_ns: 0,
          running_ns: took_s * 1_000_000_000, idle_ns: 0, stalled_ns: 0, weight: 1.0)
      end
      all = units + others.map { |host| units.first.with(host:) }
      windows = windows.map do |after_s, count|
        example.windows.first.with(start_s: COUNTED_S + after_s, seconds: 60, count:)
      end
      Recording.new(Some.new(windows:, unit_samples: all, setting: nil, blocks: CountedArrivals.of(units)),
        kind: :request)
    end

    # Two units that stand for 25 each know less than the window.
    def test_few_single_units_do_not_correct_a_window
      found = observe
      few = [30, 59.9].map do |passed|
        start_ns = ((1_790_000_400 + passed) * 1_000_000_000).to_i
        found.unit_samples.first.with(start_ns:, running_ns: 0, idle_ns: 0, stalled_ns: 0, weight: 25.0)
      end
      window = found.windows.first.with(start_s: 1_790_000_400, seconds: 60, count: 70)
      recording = Some.new(windows: [window], unit_samples: few, setting: nil)
      arrivals = Recording.new(recording, kind: :request).arrivals
      assert_in_delta 70 * 60 / 29.9, arrivals.fetch(1_790_000_400), 1e-3
    end
  end
end

module Holdup::Advise::Sizing
  class UnitTimesTest < Minitest::Test
    MS = 1_000_000

    # 1 ms in the queue, 3 ms of stall, 8 ms running, 20 ms idle; the second stands for three units.
    def units
      [ExampleUnits.unit_sample(queued_ns: MS, weight: 1.0),
        ExampleUnits.unit_sample(queued_ns: 5 * MS, stalled_ns: 11 * MS, weight: 3.0)]
    end

    def test_means_are_of_all_units_that_they_stand_for
      times = Recording::UnitTimes.new(units, queued: true)
      assert_equal [4.0, 9.0, 8.0, 41.0],
        [times.queued_ns, times.stalled_ns, times.running_ns, times.response_ns].map { |ns| ns / MS }
    end

    def test_percentiles
      times = Recording::UnitTimes.new(units, queued: true)
      assert_equal [32, 44], [0.25, 0.3].map { |share| times.response(share) / MS }
      assert_equal [4, 16], [0.25, 0.95].map { |share| times.wait(share) / MS }
    end

    def test_an_unknown_queue_is_in_no_figure
      times = Recording::UnitTimes.new(units.map { |unit| unit.with(queued_ns: nil) }, queued: false)
      assert_nil times.queued_ns
      assert_equal [37.0, 39, 11], [times.response_ns / MS, times.response(0.95) / MS, times.wait(0.95) / MS]
    end
  end
end
