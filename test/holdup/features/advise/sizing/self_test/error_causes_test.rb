# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# A cause is named when its figure can explain an error of a tenth of the response.
module Holdup::Advise::Sizing
  class ErrorCausesTest < Minitest::Test
    MS = 1_000_000
    NS = 1_000_000_000
    SERIES = Holdup::Series.new(kind: :request, name: "A#a")
    NOW = Candidate.new(processes: 1, threads: 5)
    Recording = Struct.new(:demand, :measured, :held_per_cpu, :resource_wait_ns, :machine_speed,
      :unit_samples, :growth_estimate, :kind)
    Traffic = Struct.new(:peak_rate, :swings, :mix_at_peak, :peak_minutes, :arrival_draws)
    Growth = Struct.new(:low, :high)
    DEMAND = ServiceDemand.new(held_ns: 10 * MS, idle_ns: 0)

    # A response of 100 ms, 10 of them on a CPU; one unit a second.
    def causes(held_per_cpu: 1.0, resource_ms: 0, stalled_ms: 5, peak: 1.0, swings: 1.0, mix: 0.0,
      queued_ns: 0, handoff_ns: nil, work: [], units: [], growth: nil, demand: DEMAND, current: NOW,
      peak_minutes: [], kind: :request, arrival_draws: nil, **outcome)
      measured = SelfTest::MeasuredFigures.new(queued_ns:, stalled_ns: stalled_ms * MS, handoff_ns:,
        response_ns: 100 * MS, p95_ns: 0, utilisation: 0.1)
      recording = Recording.new(demand, measured, held_per_cpu, resource_ms * MS,
        Holdup::Analysis::Machine::MachineSpeed.new({"a" => work}), units, growth, kind)
      traffic = Traffic.new(peak, swings, mix, peak_minutes, arrival_draws)
      SelfTest::ErrorCauses.new(recording, traffic:, current:,
        outcome: SelfTest::ErrorCauses::ReplayErrors.new(**outcome))
    end

    # 50 ms each, of which the wait for a thread is a part.
    def unit(at_s, queued_ms: 0, concurrency: 0, process: 1, weight: 1.0, in_flight: 1.0)
      Holdup::UnitSample.new(series: SERIES, setting: nil, host: "a", process:,
        start_ns: ((at_s + queued_ms / 1000.0) * NS).round, running_ns: 10 * MS, cpu_ns: 10 * MS,
        idle_ns: (40 - queued_ms) * MS, stalled_ns: 0, acquisitions: 1, longest_hold_ns: 0, gc_ns: 0,
        queued_ns: queued_ms * MS, in_flight_milli: (in_flight * 1000).round, weight:, concurrency:)
    end

    # Starts at these seconds of every minute.
    def every_minute(seconds, minutes: 12, **)
      (0...minutes).flat_map { |minute| seconds.map { |at_s| unit(minute * 60 + at_s, **) } }
    end

    def independent(count, seed: 1)
      random = Random.new(seed)
      Array.new(count) { random.rand * 720 }.sort
    end

    def test_nothing_is_named_where_no_figure_supports_it
      assert_equal [:unknown], causes.call
    end

    # 12 % more than the CPU used, but 1.2 ms of 100.
    def test_a_little_starvation_is_no_cause
      found = causes(held_per_cpu: 1.12)
      assert_equal [:unknown], found.call
      assert_in_delta 0.017, found.figures[:starved], 0.001
    end

    def test_holders_that_lack_a_cpu_for_a_twentieth_of_the_response
      assert_equal [:starved], causes(held_per_cpu: 1.5).call
    end

    # Those who waited for such holders waited for a CPU as well.
    def test_starvation_counts_the_stall_that_it_lengthened
      assert_equal [:unknown], causes(held_per_cpu: 1.2).call
      assert_equal [:starved], causes(held_per_cpu: 1.2, stalled_ms: 40).call
      assert_equal [:starved], causes(held_per_cpu: 1.2, queued_ns: 40 * MS).call
    end

    def test_waits_for_connections_and_locks
      assert_equal [:unknown], causes(resource_ms: 4).call
      assert_equal [:resource_waits], causes(resource_ms: 6).call
      refute_predicate causes(resource_ms: 9), :doubtful?
      assert_predicate causes(resource_ms: 12), :doubtful?
    end

    def test_a_gvl_near_saturation
      found = causes(peak: 90.0)
      assert_equal [:busy], found.call
      assert_in_delta 0.9, found.figures[:busy]
    end

    def test_a_load_that_swings
      assert_equal [:swings], causes(swings: 4.0).call
    end

    # They doubt an exact replay, but explain no error.
    def test_what_other_settings_depend_on
      {mix: -0.15, other_cpus: 0.12, constant_load: 0.96}.each do |name, figure|
        found = causes(name => figure)
        assert_equal [name], found.call
        assert_predicate found, :doubtful?
        refute_includes causes(errors: {response: 0.3}, **{name => figure}).call, name
      end
      refute_predicate causes(mix: 0.09, other_cpus: 0.09, constant_load: 0.4), :doubtful?
    end

    # Jobs wait in a queue: they are replayed with the mix of the whole span.
    def test_a_peak_with_its_own_mix_is_not_doubtful
      refute_predicate causes(mix: 0.3, peak_minutes: [0]), :doubtful?
      assert_predicate causes(mix: 0.3, peak_minutes: [0], kind: :job), :doubtful?
    end

    def test_a_machine_whose_speed_varies
      steady = causes(work: [100, 100, 100, 109, 109])
      assert_equal [:unknown], steady.call
      refute_predicate steady, :varied_machine?
      varied = causes(work: [100, 100, 100, 112, 112])
      assert_equal [:machine_speed], varied.call
      assert_predicate varied, :varied_machine?
    end

    # All of a minute's units in one of its twelve cells.
    def test_arrivals_in_bursts
      found = causes(stalled_ms: 50, units: every_minute(Array.new(60) { |at| 20 + at / 15.0 }))
      assert_equal [:bursts], found.call
      assert_in_delta 50 / 100.0, found.figures[:bursts], 0.1, "no more than the waits"
    end

    def test_arrivals_that_are_replayed_are_no_cause
      units = every_minute(Array.new(60) { |at| 20 + at / 15.0 })
      found = causes(stalled_ms: 50, units:, arrival_draws: true)
      assert_equal [:unknown], found.call
      assert_equal [0.0, 0.0], found.figures.values_at(:bursts, :pace)
    end

    # A paced load waits less than an independent one.
    def test_arrivals_at_a_pace
      found = causes(stalled_ms: 50, units: every_minute(0...60))
      assert_equal [:pace], found.call
      assert_equal 0.0, found.figures[:bursts]
      assert_operator found.figures[:pace], :<=, 0.5, "no more than the waits"
    end

    # Users who pause between answers: too few to make the queue of independent ones.
    def test_waits_of_a_replay_that_were_not_measured
      found = causes(errors: {response: 0.36, wait: 0.36}, chance: {response: 0.18, wait: 0.18})
      assert_equal [:pace], found.call
      assert_in_delta 0.36, found.figures[:pace]
      assert_equal [:chance], causes(errors: {wait: 0.16}, chance: {response: 0.17, wait: 0.17}).call
      assert_equal [:unknown], causes(errors: {wait: -0.36}).call
      assert_equal [:resource_waits], causes(errors: {wait: 0.36}, resource_ms: 20).call
    end

    def test_bursts_explain_nothing_where_units_hardly_wait
      assert_equal [:unknown], causes(stalled_ms: 1, units: every_minute(0...60)).call
    end

    def test_independent_arrivals_are_no_bursts
      found = (1..20).count do |seed|
        causes(stalled_ms: 50, units: independent(720, seed:).map { |at_s| unit(at_s) }).call == [:unknown]
      end
      assert_operator found, :>=, 18
    end

    # Drawn ones look more independent than all of them: half of each burst.
    def test_bursts_are_those_of_all_units
      whole = every_minute(Array.new(60) { |at| 20 + at / 15.0 })
      half = whole.each_slice(2).map { |unit, _| unit.with(weight: 2.0) }
      all, drawn = [whole, half].map { |units| causes(stalled_ms: 50, units:).figures[:bursts] }
      assert_in_epsilon all, drawn, 0.1
    end

    def test_a_miss_that_is_within_chance
      found = causes(errors: {response: -0.23, p95: -0.26, utilisation: -0.03},
        chance: {response: 0.25, p95: 0.3})
      assert_equal [:chance], found.call
      assert_in_delta 0.25, found.figures[:chance]
    end

    # Replays of requests and jobs that share a GVL differ among themselves by a third.
    def test_a_replay_that_fits_by_chance_is_doubtful
      found = causes(errors: {response: -0.05, p95: -0.03, wait: -0.04}, chance: {response: 0.33, p95: 0.55})
      assert_predicate found, :doubtful?
      assert_equal [:chance], found.call
      assert_in_delta 0.33, found.figures[:chance]
      refute_predicate causes(errors: {p95: -0.03}, chance: {response: 0.1, p95: 0.3}), :doubtful?
      assert_predicate causes(errors: {p95: -0.03}, chance: {response: 0.1, p95: 0.35}), :doubtful?
    end

    def test_chance_does_not_explain_a_larger_miss_nor_one_of_the_throughput
      assert_equal [:unknown], causes(errors: {response: -0.23, p95: -0.26},
        chance: {response: 0.25, p95: 0.2}).call
      found = causes(errors: {response: -0.23, throughput: 0.3}, chance: {response: 0.25})
      assert_equal [:ceiling], found.call
    end

    # A sixth more came than five threads served.
    def test_a_load_beyond_what_can_be_served
      units = (0...1800).map { |at| unit(at * 0.3, queued_ms: at * 0.3 * 1000 / 7, concurrency: 4) }
      found = causes(peak: 40.0, units:, errors: {response: -0.9, wait: -0.9}, chance: {response: 0.95})
      assert_equal [:overload], found.call
      assert_in_delta 0.1, found.figures[:overload], 0.05
    end

    def test_a_queue_that_swings_or_stays_is_no_overload
      waits = {stays: ->(_) { 9000 }, swings: ->(at) { 9000 + 4000 * Math.sin(at / 200.0) }}
      waits.each do |name, wait|
        units = (0...1800).map { |at| unit(at * 0.3, queued_ms: wait.call(at), concurrency: 4) }
        assert_operator causes(units:).figures[:overload], :<, 0.05, name
      end
      idle = (0...1800).map { |at| unit(at * 0.3, queued_ms: at * 40, concurrency: 1) }
      assert_equal 0.0, causes(units: idle).figures[:overload]
    end

    # Three at once for two minutes, then rarely any.
    def test_a_load_test_that_was_replayed_as_if_units_came_on_their_own
      test = (0...120).flat_map { |at| Array.new(3) { unit(at) } }
      units = test.each_slice(3).flat_map { |same| same.map.with_index { |one, at| later(one, at) } }
      found = causes(units: units + independent(100).map { |at_s| unit(200 + at_s) })
      assert_includes found.call, :waits_for_answers
      assert_operator found.figures[:waits_for_answers], :>, 0.5
      refute_includes causes(units:, closed: true).call, :waits_for_answers
    end

    # A third of a second apart, each for a second: two others are always there.
    def later(one, at)
      one.with(start_ns: one.start_ns + at * NS / 3, idle_ns: NS - 10 * MS)
    end

    def test_more_units_at_once_than_the_setting_has_threads
      found = causes(units: [unit(0, concurrency: 4), unit(1, concurrency: 5)])
      assert_equal [:unlike_threads], found.call
      assert_in_delta 0.5, found.figures[:unlike_threads]
      assert_equal [:unknown], causes(units: [unit(0, concurrency: 4)]).call
    end

    # In the second process those that find another one have waited for it, though three threads are free.
    def test_units_that_waited_in_a_process_with_free_threads
      busy = Array.new(10) { |at| unit(at, concurrency: 1, queued_ms: 20, process: 2) }
      free = Array.new(30) { |at| unit(at, concurrency: 1) }
      found = causes(units: free + busy)
      assert_equal [:unlike_threads], found.call
      assert_in_delta 0.25, found.figures[:unlike_threads]
      assert_equal [:unknown], causes(units: free + busy, current: NOW.with(threads: 2)).call
    end

    # It had nothing to wait for: such waits are the server's own.
    def test_units_that_waited_without_others_say_nothing_of_threads
      units = Array.new(9) { |at| unit(at, queued_ms: 20) }.push(unit(9, concurrency: 2))
      assert_equal [:unknown], causes(units:).call
    end

    def test_a_hand_off_that_was_replayed_otherwise_than_counted
      predicted = SelfTest::MeasuredFigures.new(queued_ns: 0, stalled_ns: 0, handoff_ns: 2 * MS,
        response_ns: 1,
        p95_ns: 1, utilisation: 0.1)
      assert_equal [:handoff], causes(handoff_ns: 8 * MS, predicted:).call
      assert_equal [:unknown], causes(handoff_ns: 6 * MS, predicted:).call
      assert_equal [:unknown], causes(predicted:).call
    end

    # Of two in flight at five threads: 1.3 doublings more, each between 0 and 10 %.
    def test_a_ceiling_of_which_the_growth_is_not_known
      units = [unit(0, in_flight: 2.0)]
      found = causes(units:, growth: Growth.new(0.0, 0.1), errors: {throughput: 0.04})
      assert_equal [:growth], found.call
      assert_in_delta 0.1 * Math.log2(5 / 2.0), found.figures[:growth], 0.001
      known = DEMAND.with(cost: CoherencyCost.new(growth: 0.1))
      assert_equal [:unknown], causes(units:, growth: Growth.new(0.09, 0.11), errors: {throughput: 0.04},
        demand: known).call
      assert_equal [:unknown], causes(units:, growth: Growth.new(0.0, 0.1)).call, "waits don't depend on it"
    end

    # Also where no setting was saturated: the ceilings of others are that far from certain.
    def test_a_growth_that_is_replayed_and_hardly_known
      replayed = DEMAND.with(cost: CoherencyCost.new(growth: 0.15))
      units = [unit(0, in_flight: 2.0)]
      found = lambda do |low, high, **more|
        causes(units:, growth: Growth.new(low, high), demand: replayed, **more)
      end
      assert_predicate found.call(0.05, 0.3), :vague_ceiling?
      assert_equal [:growth], found.call(0.05, 0.3).call
      refute_predicate found.call(0.1, 0.2), :vague_ceiling?
      assert_equal [:unknown], found.call(0.05, 0.3, errors: {wait: -0.3}).call, "it explains no waits"
      refute_predicate causes(units:, growth: Growth.new(0.0, 0.3)), :vague_ceiling?, "none is replayed"
    end

    def test_queue_time_that_is_unknown_explains_nothing_by_itself
      assert_equal %i[unknown queue_unknown], causes(queued_ns: nil).call
    end
  end
end
