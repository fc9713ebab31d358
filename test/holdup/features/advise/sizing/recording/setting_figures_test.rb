# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class Recording::SettingFiguresTest < Minitest::Test
    include ExampleUnits

    NS = 1_000_000_000
    MS = ExampleUnits::MS
    MINUTES = 20
    OTHER = Holdup::Setting.new(attributes: {"threads" => 9})
    FAST = {running: 10, cpu: 9.5, idle: 40, lock: 3, native: 2, pool: 1, stalled: 5}.freeze

    def test_a_good_one_has_no_problem
      assert_empty recording.problems
      refute recording.refused?
    end

    # Z is what is left of idle without native work, locks and waits for a connection.
    def test_what_a_unit_asks_for
      demand = recording.demand
      assert_equal [10.0, 9.5, 34.0, 2.0, 7.0, CoherencyCost::CONSTANT],
        [
          *demand.to_h.values_at(:held_ns, :cpu_ns, :idle_ns,
            :native_ns).map { |ns| (ns / ExampleUnits::MS).round(3) }, demand.acquisitions, demand.cost
        ]
      assert_in_delta 0.64, demand.cv2, 0.06
    end

    def test_what_each_series_asks_for
      heavy = minutes(name: "B#b", count: 10) { FAST.merge(running: 300, cpu: 300) }
      demands = recording(windows: minutes + heavy).demands
      assert_equal [["B#b", 300.0], ["A#b", 10.0]],
        demands.map { |series, demand| [series.name, (demand.held_ns / ExampleUnits::MS).round(3)] }
    end

    # Of 1000 requests a hundred are kept: chance kept two heavy ones instead of one, both of them long.
    def test_a_sample_is_what_all_units_were
      heavy = minutes(name: "B#b", count: 1) { FAST.merge(running: 2000, idle: 100) }
      light = minutes(count: 99)
      kept = Array.new(200) { |at| ExampleUnits.unit_sample(at * 6000, weight: 10.0, running_ns: 11 * MS) }
      long = Array.new(4) do |at|
        ExampleUnits.unit_sample(at, name: "B#b", weight: 10.0, running_ns: 3000 * MS)
      end
      sampled = recording(windows: light + heavy, unit_samples: kept + long).unit_samples
      found = sampled.group_by { |unit| unit.series.name }
      weights = found.transform_values { |same| same.sum(&:weight) }
      assert_in_delta 0.01, weights["B#b"] / weights.values.sum
      assert_in_delta 2040, weights.values.sum, 1e-6, "in all as many as before"
      assert_equal [2000 * MS, 100 * MS], found["B#b"].first.to_h.values_at(:running_ns, :idle_ns)
      assert_equal [10 * MS, 40 * MS], found["A#b"].first.to_h.values_at(:running_ns, :idle_ns)
    end

    def test_all_units_are_what_they_were
      kept = Array.new(200) { |at| ExampleUnits.unit_sample(at * 6000, running_ns: 11 * MS) }
      assert_equal kept, recording(unit_samples: kept).unit_samples
    end

    def test_how_many_come
      found = recording(windows: minutes(count: 100) + minutes(count: 20, name: "B#b"))
      assert_equal [120] * MINUTES, found.arrivals.values
      assert_equal [2.0, 2.0], [found.rate, found.peak_rate]
      busy = recording(windows: minutes + minutes(count: 500, from: 3, to: 5, name: "B#b"))
      assert_in_delta 600 / 60.0, busy.peak_rate, 1e-9
    end

    def test_the_first_two_minutes_after_a_boot_are_left_out
      booted = ExampleUnits::PROCESS.with(since_ns: ExampleUnits::START_S * NS)
      found = recording(unit_samples: ExampleUnits.many(3000, process: booted), warm_up_s: 120)
      assert_equal (ExampleUnits::START_S + 120...ExampleUnits::START_S + MINUTES * 60).step(60).to_a,
        found.arrivals.keys
      assert_operator found.unit_samples.map(&:age_ns).min, :>=, 120 * NS
      assert_empty found.problems
    end

    # One of sixteen that starts again is its own affair.
    def test_few_young_processes_cost_no_minute
      samples = Array.new(16) { |pid|
        {at_s: ExampleUnits::START_S + MINUTES * 60, host: "a", pid:,
         since_s: ExampleUnits::START_S - (pid.zero? ? -300 : 999),
         setting: ExampleUnits::SETTING.fingerprint}
      }
      assert_equal MINUTES, recording(samples:, unit_samples: []).arrivals.size
      assert_equal MINUTES - 3, recording(samples: samples.each { |one|
        one[:since_s] = ExampleUnits::START_S + 310 if one[:pid] < 8
      }, unit_samples: []).arrivals.size
    end

    # Nine minutes of a load test, 30 s after its only boot: a minute and a half of them is warm-up.
    def test_warm_up_is_counted_from_the_boot_and_not_by_whole_minutes
      booted = ExampleUnits::PROCESS.with(since_ns: (ExampleUnits::START_S - 30) * NS)
      found = recording(windows: minutes(to: 9), unit_samples: nine_minutes { booted }, warm_up_s: 120)
      assert_empty found.problems
      assert_in_delta 750, found.units, 15
      assert_in_delta 1 / 6.0, found.cold_share, 0.02
    end

    def test_warm_up_is_as_long_as_the_recording_shows
      booted = ExampleUnits::PROCESS.with(since_ns: ExampleUnits::START_S * NS)
      unit_samples = Array.new(2000) { |at| ExampleUnits.unit_sample(at * 90, process: booted) }
      samples = [{host: "a", pid: booted.pid, since_s: ExampleUnits::START_S,
                  at_s: ExampleUnits::START_S + 180, setting: ExampleUnits::SETTING.fingerprint,
                  jit_warm_ns: booted.since_ns + 20 * NS}]
      windows = minutes(to: 3, count: 600)
      found = recording(windows:, unit_samples:, samples:)
      assert_empty found.problems
      assert_in_delta 20 / 180.0, found.cold_share, 0.02
      refused = recording(windows:, unit_samples:, samples:, warm_up_s: 120)
      assert_includes refused.problems.map(&:kind), :warming_up
    end

    # One of two restarts after four minutes: for two minutes, half of the requests don't count.
    def test_warm_up_is_counted_for_each_process
      old, restarted = [-3600, 240].map.with_index do |since_s, pid|
        ExampleUnits::PROCESS.with(pid:, since_ns: (ExampleUnits::START_S + since_s) * NS)
      end
      units = nine_minutes { |unit, at| (at.odd? && unit.start_ns >= restarted.since_ns) ? restarted : old }
      found = recording(windows: minutes(to: 9), unit_samples: units, warm_up_s: 120)
      assert_empty found.problems
      assert_in_delta 800, found.units, 15
    end

    def nine_minutes
      units = ExampleUnits.many(3000).select { |unit| unit.end_ns < (ExampleUnits::START_S + 540) * NS }
      units.map.with_index { |unit, at| unit.with(process: yield(unit, at)) }
    end

    def test_a_warm_up_phase_is_refused
      booted = ExampleUnits::PROCESS.with(since_ns: ExampleUnits::START_S * NS)
      problem = only(
        recording(windows: minutes(to: 3), unit_samples: ExampleUnits.many(2000, process: booted)),
        :warming_up
      )
      assert problem.refusal?
      assert_operator problem.facts[:share], :>, 0.5
    end

    def test_a_setting_that_changed_is_refused
      found = recording(windows: minutes(to: 12) + minutes(from: 12, setting: OTHER))
      problem = only(found, :mixed_settings)
      assert found.refused?
      assert_equal({settings: [ExampleUnits::SETTING, OTHER], units: [1200, 800]}, problem.facts)
      assert_equal [ExampleUnits::SETTING, 1200], [found.setting, found.units]
    end

    # A job runner boots inside of a web server: until then the process has another setting.
    def test_what_a_process_was_before_it_had_booted_is_no_other_setting
      booted = ExampleUnits::PROCESS.with(since_ns: ExampleUnits::START_S * NS)
      unit_samples = ->(process) {
        ExampleUnits.many(3000,
          process: booted) + ExampleUnits.many(10,
            process:).map { |one| one.with(setting: OTHER, start_ns: process.since_ns + 30 * NS) }
      }
      of = ->(process) {
        recording(windows: minutes + minutes(to: 1, count: 10, setting: OTHER),
          unit_samples: unit_samples.call(process))
      }
      assert_equal [[], [ExampleUnits::SETTING]],
        of.call(booted).then { |found| [found.problems, found.settings.keys] }
      assert only(of.call(booted.with(pid: 4711)), :mixed_settings).refusal?
    end

    def test_applications_of_one_store_are_refused_as_such
      other = Holdup::Setting.new(attributes: {**ExampleUnits::SETTING.attributes, "app" => "admin"})
      assert only(recording(windows: minutes(to: 12) + minutes(from: 12, setting: other)),
        :mixed_applications).refusal?
    end

    def test_the_label_of_an_arm_alone_is_no_other_setting
      stable, canary = %w[stable canary].map do |arm|
        Holdup::Setting.new(attributes: {**ExampleUnits::SETTING.attributes, "arm" => arm})
      end
      unit_samples = ExampleUnits.many(4000).each_with_index.map { |unit_sample, index|
        unit_sample.with(setting: index.odd? ? canary : stable)
      }
      found = recording(windows: minutes(to: 12, setting: stable) + minutes(from: 12, setting: canary),
        unit_samples:)
      assert_equal [[], {stable => 2000}], [found.problems, found.settings]
      assert_equal [4000, [stable, canary].map(&:fingerprint)], [found.unit_samples.size, found.fingerprints]
    end

    def test_forty_requests_are_refused
      problem = only(recording(windows: minutes(count: 2)), :few_units)
      assert_equal [true, {units: 40, needed: 400}], [problem.refusal?, problem.facts]
    end

    def test_warns_of_holds_without_a_cpu
      starved = only(recording(windows: minutes { FAST.merge(cpu: 8) }), :held_without_cpu)
      refute_predicate starved, :refusal?
      assert_in_delta 0.2, starved.facts[:starved_share]
    end

    one_ruby def test_warns_of_a_saturated_cpu
      used = only(recording(windows: minutes(count: 6000), vcpus: 1.2), :cpu_saturated)
      assert_in_delta (9.5 + 2) / 10 / 1.2, used.facts[:cpu_share], 1e-6
    end

    def test_warns_of_a_pool_that_binds
      problem = only(recording(windows: minutes { FAST.merge(pool: 20) }), :pool_bound)
      assert_in_delta 20 / 55.0, problem.facts[:pool_share], 1e-6
    end

    def test_warns_of_units_that_got_faster
      slow = unit_samples.each_with_index.map { |unit_sample, index|
        (index < 1000) ? unit_sample.with(running_ns: unit_sample.running_ns * 2) : unit_sample
      }
      assert_in_delta 2, only(recording(unit_samples: slow), :unsteady).facts[:ratio], 0.2
    end

    def test_another_mix_is_no_drift
      mixed = unit_samples.each_with_index.map { |unit_sample, index|
        (index < 1000) ? unit_sample.with(running_ns: unit_sample.running_ns * 5,
          series: Holdup::Series.new(kind: :request, name: "B#b")) : unit_sample
      }
      assert_empty recording(unit_samples: mixed).problems
    end

    def test_windows_without_unit_samples
      assert_equal({unit_samples: 0, needed: 200}, only(recording(unit_samples: []), :few_unit_samples).facts)
      assert_equal 1.0, recording(unit_samples: []).demand.cv2
    end

    def test_jobs_are_not_requests
      job = minutes(kind: :job, name: "ReportJob", count: 7)
      assert_equal [MINUTES * 7, MINUTES * 100],
        %i[job request].map { |kind| recording(windows: minutes + job, kind:).units }
    end

    # Of 1 to 100 us, by units that were alone.
    def test_how_long_a_request_is_under_way_to_a_free_thread
      some = Array.new(300) { |index|
        ExampleUnits.unit_sample(index, queued_ns: (index % 100 + 1) * 1000,
          in_flight_milli: (index % 3 == 2) ? 3000 : 1000)
      }
      assert_in_delta 50_000, recording(unit_samples: some).pickup_ns, 2000
      assert_equal 0, recording(windows: minutes(kind: :job), unit_samples: some, kind: :job).pickup_ns
    end

    # Of the only thread nearly all waited for seconds, and began 60 us after the one before: these were under
    # way for no more than it rested.
    def test_how_long_a_request_is_under_way_to_the_only_thread
      busy = Array.new(300) { |index| only_thread(index, queued_ns: 2_000_000_000 + index, rest_ns: 60_000) }
      free = Array.new(3) { |index| only_thread(300 + index, queued_ns: 40_000, rest_ns: 1_000_000) }
      found = [busy + free, busy].map { |some|
        recording(windows: minutes(setting: busy.first.setting), unit_samples: some)
      }
      assert_equal [40_000, 0], found.map(&:pickup_ns)
      assert_equal [40_000, 0], found.map { |one| one.between.own_ns.round }
    end

    # Two threads that are never free end at the same time now and then: the next unit is alone, after it has
    # waited for both.
    def test_a_queue_before_several_threads_is_not_the_way_to_a_free_one
      busy = Array.new(300) do |index|
        ExampleUnits.unit_sample(index, queued_ns: 200_000_000, in_flight_milli: 2000, rest_ns: 0)
      end
      both_ended = ExampleUnits.unit_sample(300, queued_ns: 207_000_000, in_flight_milli: 1042,
        rest_ns: 60_000)
      free = ExampleUnits.unit_sample(301, queued_ns: 40_000, in_flight_milli: 1000, rest_ns: 1_000_000)
      assert_equal 0, recording(unit_samples: [*busy, both_ended]).pickup_ns
      assert_equal 40_000, recording(unit_samples: [*busy, both_ended, free]).pickup_ns
    end

    def only_thread(index, **times)
      ExampleUnits.unit_sample(index, in_flight_milli: 1000,
**times).with(setting: OTHER.with(attributes: {"threads" => 1}))
    end

    def test_unknown_rests_of_the_only_thread_tell_nothing
      one = Array.new(300) { |index| only_thread(index, queued_ns: 10_000) }
      assert_equal 0, recording(windows: minutes(setting: one.first.setting), unit_samples: one).pickup_ns
    end

    # 2 ms of the other threads fall to each unit.
    def test_what_is_between_two_units
      others = minutes(name: "thread:puma srv", kind: :account, count: 20) { FAST }
      found = recording(windows: minutes + others)
      after = Recording::SettingFigures::AFTER_REQUESTS
      idle_ns = found.pickup_ns - after * 2.0 * ExampleUnits::MS
      assert_equal [2.0 * ExampleUnits::MS, idle_ns, 1.4, after, idle_ns], found.between.to_h.values
      assert_equal [0.0, 0.5 * ExampleUnits::MS, 0.0, after, 0.5 * ExampleUnits::MS],
        recording(unit_samples: Array.new(300) { |index|
          ExampleUnits.unit_sample(index,
            in_flight_milli: 1000)
        }).between.to_h.values
    end

    def test_nothing_at_all
      empty = Recording::SettingFigures.new(windows: [], unit_samples: [])
      assert_equal [nil, nil, 0, 0.0, 0.0, nil],
        [empty.setting, empty.demand, empty.units, empty.rate, empty.peak_rate, empty.cpu_share]
      assert_equal %i[few_units few_unit_samples], empty.problems.map(&:kind)
    end

    # What concurrency and rests cost is taken off, so that models can put it on for each number of units in
    # flight.
    def test_what_a_unit_asks_for_alone
      simulated = SimulatedRecording.new(seed: 3, growth: 0.2, cold: 0.3, minutes: 30, slower: 6).unit_samples
      found = recording(windows: minutes(to: 60), unit_samples: simulated)
      assert_operator [found.growth.cost.growth, found.growth.cost.cold].min, :>, 0.1
      factors = simulated.map { |one|
        found.growth.cost.factor(in_flight: one.in_flight, rested: CoherencyCost.rested(one.rest_ns))
      }
      weighted = factors.zip(simulated).sum { |factor, unit_sample| factor * unit_sample.weight }
      mean_factor = weighted / simulated.sum(&:weight)
      assert_in_delta 10 * ExampleUnits::MS / mean_factor, found.demand.held_ns, 1
    end

    def test_a_drift_of_the_machine_is_taken_off_before_growth_is_estimated
      drift = ->(second) { 0.235 * Math.sin(2 * Math::PI * second / 600) }
      connections = [1, 2, 3, 5, 8].flat_map { |count| [count] * 6 }
      simulated = SimulatedRecording.new(seed: 2, slowness: drift, minutes: 10, slower: 6, connections:)
      facts = {windows: minutes(to: 10), unit_samples: simulated.all, warm_up_s: 0}
      known, unknown = [simulated.samples, []].map { |samples| recording(samples:, **facts) }
      refute_predicate unknown.speed_effect, :any?
      assert_predicate known.speed_effect, :any?
      assert_operator unknown.growth.overall.value.abs, :>, 0.05
      assert_operator known.growth.overall.value.abs, :<, 0.05
      refute_predicate known.growth.overall, :grows?
    end

    private

    def unit_samples
      @unit_samples ||= ExampleUnits.many(3000).sort_by(&:start_ns)
    end

    def recording(windows: minutes, unit_samples: self.unit_samples, vcpus: 8, **rest)
      Recording::SettingFigures.new(windows:, unit_samples:, vcpus:, **rest)
    end

    def only(recording, kind)
      assert_equal [kind], recording.problems.map(&:kind)
      recording.problems.first
    end

    # `yield`: milliseconds of each unit
    def minutes(from: 0, to: MINUTES, count: 100, name: "A#b", kind: :request,
      setting: ExampleUnits::SETTING)
      ms = block_given? ? yield : FAST
      (from...to).map do |minute|
        empty = Holdup::Window.empty(series: Holdup::Series.new(kind:, name:), setting:, host: "a",
          start_s: ExampleUnits::START_S + minute * 60, seconds: 60)
        empty.with(count:, sums: empty.sums.merge(sums(ms, count)),
          histograms: empty.histograms.merge(histograms(ms, count)))
      end
    end

    def sums(ms, count)
      {cpu_ns: ms[:cpu], lock_ns: ms[:lock], native_ns: ms[:native], pool_wait_ns: ms[:pool],
       acquisitions: 7.0 / ExampleUnits::MS}.transform_values { |each|
        (each * ExampleUnits::MS * count).round
      }
    end

    def histograms(ms, count)
      wall = ms[:running] + ms[:idle] + ms[:stalled]
      {wall:, running: ms[:running], idle: ms[:idle], stalled: ms[:stalled]}.transform_values { |each|
        Holdup::Histogram.of([(each * ExampleUnits::MS).round] * count)
      }
    end
  end
end
