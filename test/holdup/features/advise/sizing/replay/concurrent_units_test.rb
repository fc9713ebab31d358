# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  # Requests and jobs of the same processes: those in question, and those that are there as well.
  class ReplayConcurrentUnitsTest < Minitest::Test
    MS = 1_000_000

    def unit(arrival_ms: 0, held_ms: 10, idle_ms: 0, acquisitions: 0, **rest)
      Trace::TraceUnit.new(arrival_ns: (arrival_ms * MS).round, held_ns: (held_ms * MS).round,
        idle_ns: (idle_ms * MS).round, acquisitions:, **rest)
    end

    def units(count, every_ms: 12, seed: 1, pool: 0)
      random = Random.new(seed)
      Array.new(count) { |index|
        unit(arrival_ms: every_ms * index + random.rand, held_ms: random.rand(1.0..9),
          idle_ms: random.rand(0.0..30), acquisitions: random.rand(0..6), pool:)
      }
    end

    def replay(own, concurrent_units, processes: 1, threads: 5, other_threads: [2], vcpus: 8, **rest)
      Replay.call(Trace.new(own, concurrent_units: Trace.new(concurrent_units)),
        Scenario.of(processes:, threads:, vcpus:, other_threads:, **rest))
    end

    # What the same units are in one trace, two pools of the same kind.
    def test_who_is_asked_about_changes_nothing
      own = units(500)
      concurrent_units = units(500, seed: 2, pool: 1)
      [1, 3].each do |processes|
        together = Replay.call(Trace.new(own + concurrent_units),
          Scenario.of(processes:, threads: 5, other_threads: [2], vcpus: 1.5, assignment: :shared))
        apart = replay(own, concurrent_units, processes:, vcpus: 1.5, assignment: :shared,
          concurrent_assignment: :shared)
        played = together.rows.zip(together.trace.units)
        pools = played.group_by { |_, unit| unit.pool }.transform_values { |same|
          same.map(&:first)
        }
        assert_equal pools[0], apart.rows.first(500)
        assert_equal apart.column(:queued), pools[0].map(&:first)
        done = apart.concurrent_column(:response).each_index.select { |index|
          apart.concurrent_column(:response)[index].positive?
        }
        assert_operator done.size, :>, 400
        assert_equal pools[1].values_at(*done).map(&:last),
          apart.concurrent_column(:response).values_at(*done)
      end
    end

    def test_concurrent_units_that_never_holds_is_not_felt
      waiting = units(300, pool: 1).map { |one| one.with(held_ns: 0, longest_ns: 0, acquisitions: 0) }
      own = units(400).map { |one| one.with(acquisitions: 0) }
      alone, with_waiting = [[], waiting].map { |concurrent_units|
        replay(own, concurrent_units, handoff_ns: 0, assignment: :least_busy).column(:response)
      }
      assert_equal alone, with_waiting
    end

    def test_concurrent_units_that_holds_is_paid_for_with_stall
      alone = replay(units(400), [])
      shared = replay(units(400), units(400, pool: 1))
      assert_operator shared.mean(:stalled), :>, 1.5 * alone.mean(:stalled)
      assert_operator shared.utilisation, :>, 1.5 * alone.utilisation
      assert_equal [400, 400], [shared.column(:held).size, shared.concurrent_column(:held).size]
    end

    # Two processes with a thread for jobs each: a request may stand behind another while a thread is free
    # elsewhere, a job does not.
    def test_requests_choose_a_process_and_jobs_are_taken_by_any_free_thread
      pair = Array.new(80) { |index| unit(arrival_ms: 100 * (index / 2), held_ms: 0, idle_ms: 60) }
      others = pair.map { |one| one.with(pool: 1) }
      setting = {processes: 2, threads: 2, other_threads: [1], handoff_ns: 0}
      played = replay(pair, others, **setting, assignment: :random, concurrent_assignment: :shared)
      assert_equal [0], played.concurrent_column(:queued).uniq
      assert_includes played.column(:queued), 60 * MS
      jobs = replay(pair, others, **setting, assignment: :shared)
      assert_equal [0], jobs.column(:queued).uniq
      scenario = Scenario.of(processes: 1, threads: 1, vcpus: 1, assignment: :shared)
      assert_equal :least_busy, scenario.concurrent_assignment
    end

    # So the replay shows a full pool while concurrent units come as they were recorded.
    def test_a_limit_of_units_that_are_there_holds_no_concurrent_units_back
      own = Array.new(50) { |index| unit(arrival_ms: 0, held_ms: 0, idle_ms: 100) }
      concurrent_units = Array.new(400) { |index|
        unit(arrival_ms: 10 * index, held_ms: 0, idle_ms: 5,
          pool: 1)
      }
      played = replay(own, concurrent_units, threads: 2, other_threads: [1], most: 1, handoff_ns: 0)
      assert_in_delta 5000 * MS, played.elapsed_ns, MS
      assert_equal [0], played.concurrent_column(:queued).uniq
      assert_equal [5 * MS], played.concurrent_column(:response).uniq
    end

    def test_it_ends_when_the_units_in_question_are_done
      played = replay(units(10), units(1000, pool: 1))
      first = played.rows.first(10).zip(played.trace.units)
      assert_equal first.map { |result, unit| unit.arrival_ns + result.last }.max,
        played.elapsed_ns.round
      assert_equal 0, played.concurrent_column(:response).last
    end

    def test_what_can_not_be_is_refused
      assert_raises(ArgumentError) { replay([unit], [unit(pool: 2)]) }
      assert_raises(ArgumentError) { replay([unit], [], concurrent_assignment: :nobody) }
    end
  end
end
