# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "measured_runs"

module Holdup::Advise::Sizing
  class ReplayTest < Minitest::Test
    MS = 1_000_000
    SLICE = 100 * MS

    def unit(arrival_ms: 0, held_ms: 10, idle_ms: 0, acquisitions: 0, **rest)
      Trace::TraceUnit.new(arrival_ns: (arrival_ms * MS).round, held_ns: (held_ms * MS).round,
        idle_ns: (idle_ms * MS).round, acquisitions:, **rest)
    end

    def scenario(processes: 1, threads: 5, vcpus: 8, **rest)
      Scenario.of(processes:, threads:, vcpus:, **rest)
    end

    def replay(units, **options)
      Replay.call(Trace.new(units), scenario(**options))
    end

    # Independent arrivals at a rate; `mean_gap_ms` apart on average.
    def arrivals(count, mean_gap_ms, seed: 1)
      random = Random.new(seed)
      at = 0.0
      Array.new(count) { yield(at += -Math.log(1 - random.rand) * mean_gap_ms, random) }
    end

    one_ruby def test_throughput_of_measured_runs
      MeasuredRuns.all.reject { |run| run.mix == "convoy" }.group_by { |run|
        [run.set,
          run.mix]
      }.each do |mix, runs|
        error = MeasuredRuns.error(runs) { |run| backlog(run).throughput }
        assert_operator error, :<=, 0.03, mix.join(" ")
      end
    end

    def backlog(run)
      held_ms = (run.set == "multi") ? run.cpu_ms : run.held_ms
      units = Array.new(3000) { unit(held_ms:, idle_ms: run.idle_ms, acquisitions: run.acquisitions - 1) }
      replay(units, processes: run.processes, threads: run.threads, vcpus: 2, assignment: :shared)
    end

    # Light units (2 ms in four holds) and some of 150 ms, which closed formulas can't tell apart; how many,
    # the mean tells.
    def test_the_measured_convoy
      MeasuredRuns.all.select { |run| run.mix == "convoy" }.each do |run|
        heavy = ((run.held_ms - 2) / 148 * 4000).round
        units = Array.new(4000) { |index|
          (index < heavy) ? unit(held_ms: 150,
            idle_ms: 10) : unit(held_ms: 2, idle_ms: run.idle_ms, acquisitions: 3)
        }
        result = replay(units.shuffle(random: Random.new(2)), threads: run.threads, vcpus: 2,
          assignment: :shared)
        assert_in_delta 1, result.throughput / run.throughput, 0.05, "#{run.threads} threads"
      end
    end

    def test_alone_a_unit_takes_its_own_time_exactly
      [0, 1, 7, 500].each do |acquisitions|
        result = replay([unit(held_ms: 12.5, idle_ms: 30, acquisitions:, longest_ns: 3 * MS)])
        assert_equal [[0, 0, 12_500_000, 42_500_000]], result.rows,
          "#{acquisitions} acquisitions"
      end
    end

    def test_response_is_what_it_is_made_of
      units = arrivals(2000, 30) { |at, random|
        unit(arrival_ms: at, held_ms: random.rand(1.0..40), idle_ms: random.rand(0.0..30),
          acquisitions: random.rand(0..9))
      }
      result = replay(units, processes: 2, threads: 3, vcpus: 1.5)
      result.rows.zip(result.trace.units) do |(queued, stalled, held, response), unit|
        assert_in_delta response, queued + stalled + held + unit.idle_ns, 10
        assert_operator held, :>=, unit.held_ns - 1
      end
    end

    def test_the_same_seed_is_the_same_result
      units = arrivals(500, 20) { |at, random|
        unit(arrival_ms: at, idle_ms: random.rand(20), acquisitions: 4)
      }
      one, two, other = [1, 1, 2].map { |seed|
        replay(units, seed:, processes: 3, assignment: :random).rows
      }
      assert_equal one, two
      refute_equal one, other
    end

    def test_replays_at_once_are_in_the_order_of_what_they_replay
      traces = Array.new(6) { |index| Trace.new([unit(held_ms: index + 1)]) }
      responses = Replay.at_once(traces, cpus: 8) { |trace| Replay.call(trace, scenario).column(:response) }
      assert_equal [*1..6].map { |ms| [ms * MS] }, responses
    end

    def test_an_error_of_one_of_the_replays_at_once_is_raised
      error = assert_raises(ArgumentError) do
        Replay.at_once([*1..6], cpus: 8) { |number| raise ArgumentError, "the third" if number == 3 }
      end
      assert_equal "the third", error.message
    end

    # Behind threads that never do io, each acquisition waits a whole time slice for each of them.
    def test_a_unit_behind_hogs_waits_a_slice_for_each_of_them_at_each_acquisition
      [1, 3].product([SLICE, 10 * MS]) do |hogs, slice|
        light = unit(arrival_ms: 1, held_ms: 1, idle_ms: 20, acquisitions: 10)
        result = replay(Array.new(hogs) { unit(held_ms: 60_000) } + [light], threads: 8,
          time_slice_ns: slice, handoff_ns: 0)
        each = result.column(:stalled).last / 11.0 # ten, and the first
        assert_in_delta hogs * slice, each, 0.12 * hogs * slice
      end
    end

    def test_a_shorter_slice_helps_light_units_among_heavy_ones
      units = arrivals(3000, 27) { |at, random|
        (random.rand < 0.1) ? unit(arrival_ms: at, held_ms: 150,
          idle_ms: 10) : unit(arrival_ms: at, held_ms: 2, idle_ms: 8, acquisitions: 4)
      }
      long, short = [SLICE, 10 * MS].map { |slice| light_mean(replay(units, time_slice_ns: slice)) }
      assert_operator short, :<, 0.7 * long
    end

    # Measured with RUBY_THREAD_TIMESLICE: threads that compute run for 10 ms with 4, 20 ms with 15, 30 ms
    # with 25.
    def test_a_slice_lasts_for_whole_ticks
      units = arrivals(200, 60) { |at, random|
        unit(arrival_ms: at, held_ms: (random.rand < 0.3) ? 150 : 2, idle_ms: 8, acquisitions: 4)
      }
      {4 => 10, 15 => 20, 25 => 30}.each do |said, real|
        one, other = [said, real].map { |slice| replay(units, time_slice_ns: slice * MS).rows }
        assert_equal other, one, "#{said} ms"
      end
    end

    def light_mean(result)
      responses = result.trace.units.zip(result.column(:response))
      light = responses.select { |unit, _| unit.held_ns < 10 * MS }.map(&:last)
      light.sum.fdiv(light.size)
    end

    # Fewer threads do not remove waiting: they move it from stall to queue.
    def test_waiting_moves_and_does_not_go_away
      units = arrivals(6000, 16) { |at, _| unit(arrival_ms: at, idle_ms: 10, acquisitions: 8) }
      few, many = [2, 10].map { |threads| replay(units, threads:) }
      assert_operator many.mean(:stalled), :>, 3 * few.mean(:stalled)
      assert_operator few.mean(:queued), :>, 3 * many.mean(:queued)
    end

    def test_more_processes_than_cpus_make_holds_longer
      units = Array.new(400) { unit(held_ms: 10) }
      result = replay(units, processes: 4, threads: 1, vcpus: 2, assignment: :shared)
      assert_in_delta 20 * MS, result.mean(:held), 0.3 * MS
      assert_in_delta 2, result.cpus, 0.02
      assert_in_delta 200, result.throughput, 2
    end

    def test_a_cost_that_grows_with_the_units_in_flight
      units = Array.new(1000) { unit(held_ms: 10, idle_ms: 1, acquisitions: 1) }
      result = replay(units, threads: 8, cost: CoherencyCost.new(growth: 0.1), assignment: :shared)
      assert_in_delta 10 * MS * 1.3, result.mean(:held), 0.2 * MS
      recorded = replay(units.map { |each| each.with(in_flight_milli: 8_000) }, threads: 1,
        cost: CoherencyCost.new(growth: 0.1), assignment: :shared)
      assert_in_delta 10 * MS / 1.3, recorded.mean(:held), 0.05 * MS
    end

    # All processes share what units wait for. `in_flight`: how they were recorded
    def idle_ms(processes:, threads:, recorded_processes: 1, in_flight: 1)
      units = Array.new(1000) { unit(held_ms: 0.001, idle_ms: 10, in_flight_milli: 1000 * in_flight) }
      result = replay(units, processes:, threads:, assignment: :shared,
        cost: CoherencyCost.new(idle_growth: 0.1, recorded_processes:))
      (result.mean(:response) - %i[queued stalled held].sum { |other| result.mean(other) }) / MS
    end

    def test_waits_that_grow_with_the_units_in_flight_of_all_processes
      assert_in_delta 10, idle_ms(processes: 1, threads: 1), 0.01
      assert_in_delta 13, idle_ms(processes: 1, threads: 8), 0.05
      assert_in_delta 13, idle_ms(processes: 2, threads: 4), 0.05
      assert_in_delta 12, idle_ms(processes: 2, threads: 4, recorded_processes: 2), 0.05
      assert_in_delta 10 / 1.3, idle_ms(processes: 1, threads: 1, in_flight: 8), 0.01
    end

    # As much for the eighth as for the second: 7 others.
    def test_a_cost_that_each_further_unit_adds
      units = Array.new(1000) { unit(held_ms: 10, idle_ms: 1, acquisitions: 1) }
      result = replay(units, threads: 8, cost: CoherencyCost.new(marking: 0.05), assignment: :shared)
      assert_in_delta 10 * MS * 1.35, result.mean(:held), 0.2 * MS
      both = replay(units, threads: 8, cost: CoherencyCost.new(growth: 0.1, marking: 0.05),
        assignment: :shared)
      assert_in_delta 10 * MS * 1.65, both.mean(:held), 0.3 * MS
    end

    # The first follows a rest of 20 ms, half of what a rest can cost; the second finds the first; the third
    # is like the first, and was recorded so.
    def test_a_process_that_rested_costs_who_comes_next
      units = [unit(arrival_ms: 20), unit(arrival_ms: 25), unit(arrival_ms: 61, rest_ns: 20 * MS)]
      assert_equal [11 * MS, 10 * MS, 10 * MS],
        replay(units, threads: 2, handoff_ns: 0, cost: CoherencyCost.new(cold: 0.2)).column(:held)
    end

    def test_an_endpoint_in_processes_of_its_own
      pools = Scenario.new(
        groups: [Scenario::ProcessGroup.new(processes: 1, threads: 5),
          Scenario::ProcessGroup.new(processes: 1, threads: 1)], vcpus: 2
      )
      units = Array.new(50) { |index| unit(arrival_ms: index, held_ms: 0.5) } + [unit(held_ms: 500, group: 1)]
      assert_equal 0, Replay.call(Trace.new(units), pools).column(:stalled).sum
    end

    def test_threads_for_io_go_beyond_the_cap
      units = Array.new(6) { unit(held_ms: 1, idle_ms: 100, acquisitions: 1, io: true) }
      assert_operator replay(units, threads: 1, io_threads: 5).elapsed_ns, :<, 110 * MS
      assert_operator replay(units, threads: 1).elapsed_ns, :>, 600 * MS
    end

    # Nobody knows that a unit is one for io before a thread has it, and those beyond the number count as
    # ordinary ones.
    def test_threads_for_io_start_as_ordinary_ones
      hog = unit(held_ms: 50)
      waiting = unit(arrival_ms: 1, held_ms: 1, idle_ms: 100, acquisitions: 1, io: true)
      assert_in_delta 49 * MS, replay([hog, waiting], threads: 1, io_threads: 5).column(:queued).last, MS
      ordinary = replay([waiting, waiting, waiting, unit(arrival_ms: 2)], threads: 2,
        io_threads: 1).column(:queued)
      assert_equal [0, 0, 0], ordinary.first(3)
      assert_operator ordinary.last, :>, 90 * MS
    end

    # Thread#priority shifts the slice of a thread, and of nobody else.
    def test_a_priority_of_their_own
      units = [unit(held_ms: 1000, slice_ns: 20 * MS), unit(arrival_ms: 1, held_ms: 30, acquisitions: 1)]
      assert_in_delta (19 + 20) * MS, replay(units, threads: 2, handoff_ns: 0).column(:stalled).last, 21 * MS
      assert_operator replay(units.map { |each| each.with(slice_ns: 0) }, threads: 2,
        handoff_ns: 0).column(:stalled).last,
        :>=, 100 * MS
    end

    def test_twice_the_traffic
      trace = Trace.new(Array.new(10) { |index| unit(arrival_ms: 100 * index) })
      assert_in_delta 455 * MS, Replay.call(trace.faster(2), scenario).elapsed_ns, 6 * MS
    end

    # Two at once on one thread: before each lie 3 ms, in which the thread can do nothing else.
    def test_what_is_between_two_units_keeps_a_thread
      between = Scenario::DispatchCost.new(held_ns: 1.0 * MS, idle_ns: 2.0 * MS, acquisitions: 0.4)
      one, two = replay([unit, unit], threads: 1, between:).then { |result|
        result.column(:queued).zip(result.column(:response))
      }
      assert_equal [3 * MS, 13 * MS], one
      assert_equal [16 * MS, 26 * MS], two
    end

    # The second one is sent while the first one has the thread.
    def test_a_unit_that_waits_for_a_thread_arrives_meanwhile
      between = Scenario::DispatchCost.new(held_ns: 1.0 * MS, idle_ns: 2.0 * MS, acquisitions: 0.4,
        arriving_ns: 2.0 * MS)
      one, two = replay([unit, unit], threads: 1, between:).then { |result|
        result.column(:queued).zip(result.column(:response))
      }
      assert_equal [3 * MS, 13 * MS], one
      assert_equal [14 * MS, 24 * MS], two
    end

    # A thread that waits to fetch a job keeps nothing yet of which others would feel anything.
    def test_who_is_between_two_units_is_not_concurrent
      fetching = unit(arrival_ms: 2, held_ms: 1, idle_ms: 1, acquisitions: 1, before: 1)
      held = ->(last) {
        replay([unit, unit(arrival_ms: 1), last], threads: 3,
          cost: CoherencyCost.new(marking: 1.0)).column(:held)[1]
      }
      assert_equal [10 * MS, 20 * MS], [held[fetching], held[fetching.with(before: 0)]]
      cost = Scenario::DispatchCost.new(held_ns: MS, idle_ns: MS, acquisitions: 1.1)
      both = cost.around(unit(acquisitions: 3))
      assert_equal [3, 1], [both.acquisitions, both.before]
    end

    # It has ended, but its thread has not: the next one waits for that.
    def test_what_follows_a_unit_keeps_its_thread_and_lengthens_no_response
      first = unit(after: 2, after_ns: 4 * MS)
      one, two = replay([first, unit], threads: 1, handoff_ns: 0).rows
      assert_equal [0, 0, 10 * MS, 10 * MS], one
      assert_equal [14 * MS, 0, 10 * MS, 24 * MS], two
    end

    def test_what_follows_a_unit_holds_the_gvl
      first = unit(after: 1, after_ns: 4 * MS)
      second = unit(arrival_ms: 11, held_ms: 1)
      assert_equal [0, 3 * MS, MS, 4 * MS], replay([first, second], threads: 2, handoff_ns: 0).rows.last
    end

    def test_moments_take_no_time
      result = replay([unit(held_ms: 12.5, idle_ms: 30, acquisitions: 9, moments: 7)])
      assert_equal [[0, 0, 12_500_000, 42_500_000]], result.rows
    end

    # Of a page of ten acquisitions and one long hold, others take the GVL once; of ten alike, ten times.
    def test_moments_let_others_go_first_less_often
      alike, with_moments = [0, 9].map do |moments|
        units = arrivals(2000, 12) do |at, _|
          unit(arrival_ms: at, held_ms: 3, idle_ms: 1, acquisitions: 10, moments:)
        end
        others = arrivals(2000, 12, seed: 2) do |at, _|
          unit(arrival_ms: at, held_ms: 3, idle_ms: 10, acquisitions: 40)
        end
        result = replay(units + others, handoff_ns: 0)
        own = result.trace.units.each_index.select { |index| result.trace.units[index].acquisitions == 10 }
        result.column(:stalled).values_at(*own).sort[own.size / 2]
      end
      assert_operator with_moments, :<, 0.7 * alike
    end

    # Who fetches a job and begins it takes the GVL once for both.
    def test_to_be_taken_is_one_of_the_acquisitions_between_two_units
      units = Array.new(40) { |index| unit(arrival_ms: index, held_ms: 3, idle_ms: 2, acquisitions: 2) }
      fetch = Scenario::DispatchCost.new(held_ns: 0, idle_ns: 0, acquisitions: 1)
      costs = [fetch, Scenario::DispatchCost::NOTHING]
      with, without = costs.map { |between| replay(units, threads: 3, between:) }
      assert_equal without.column(:response), with.column(:response)
    end

    def test_acquisitions_of_some_of_the_units_are_spread_over_all
      cost = Scenario::DispatchCost.new(held_ns: 0, idle_ns: 0, acquisitions: 0.6)
      units = Array.new(1000) { |index| unit(acquisitions: 5).with(held_ns: MS + 7_919 * index) }
      more = units.sum { |one| cost.around(one).acquisitions - one.acquisitions }
      assert_in_delta(-400, more, 20)
    end

    def test_what_can_not_be_is_refused
      [{vcpus: 0}, {threads: 0}, {processes: 0}, {processes: 2000}, {time_slice_ns: 0},
        {cost: CoherencyCost.new(growth: -1.0)}, {cost: CoherencyCost.new(marking: -1.0)},
        {cost: CoherencyCost.new(cold: -1.0)}, {cost: CoherencyCost.new(idle_growth: -1.0)},
        {cost: CoherencyCost.new(recorded_processes: 0)}, {assignment: :nobody}].each do |wrong|
        assert_raises(ArgumentError, wrong.inspect) { replay([unit], **wrong) }
      end
      assert_raises(ArgumentError) { replay([unit(group: 1)]) }
      assert_raises(ArgumentError) { replay([unit(before: 1)]) }
    end

    def test_nothing_to_replay
      assert_empty replay([]).rows
    end

    def test_it_can_be_interrupted
      thread = Thread.new { replay(Array.new(300_000) { unit(held_ms: 1, idle_ms: 1, acquisitions: 20) }) }
      thread.report_on_exception = false
      wait_until { thread.stop? || !thread.alive? }
      thread.kill
      assert thread.join(WaitUntil::PATIENCE_S)
    end
  end
end
