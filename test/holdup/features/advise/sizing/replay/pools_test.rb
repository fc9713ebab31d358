# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  # Pools of threads that share a process: each has its own cap and queue, and all of them one GVL.
  class ReplayPoolsTest < Minitest::Test
    MS = 1_000_000

    def unit(arrival_ms: 0, held_ms: 10, idle_ms: 0, acquisitions: 0, **rest)
      Trace::TraceUnit.new(arrival_ns: (arrival_ms * MS).round, held_ns: (held_ms * MS).round,
        idle_ns: (idle_ms * MS).round, acquisitions:, **rest)
    end

    def replay(units, processes: 1, threads: 5, vcpus: 8, **rest)
      Replay.call(Trace.new(units), Scenario.of(processes:, threads:, vcpus:, **rest))
    end

    def mixed(count = 1500, seed: 1)
      random = Random.new(seed)
      Array.new(count) { |index|
        unit(arrival_ms: 6 * index + random.rand, held_ms: random.rand(1.0..9), idle_ms: random.rand(0.0..30),
          acquisitions: random.rand(0..6), pool: random.rand(2))
      }
    end

    # [began, ended] of the units of a pool, in the order in which they came.
    def spans(result, pool)
      played = result.rows.zip(result.trace.units)
      played.select { |_, unit| unit.pool == pool }.map { |(queued, *, response), unit|
        [unit.arrival_ns + queued, unit.arrival_ns + response]
      }
    end

    def most_at_once(spans)
      spans.flat_map { |from, to|
        [[from, 1],
          [to, -1]]
      }.sort.inject([0, 0]) { |(now, most), (_, step)| [now + step, [most, now + step].max] }.last
    end

    def test_an_unused_pool_changes_nothing
      units = mixed.map { |each| each.with(pool: 0) }
      Scenario::ASSIGNMENTS.product([1, 3]).each do |assignment, processes|
        options = {assignment:, processes:, vcpus: 1.5,
                   cost: CoherencyCost.new(growth: 0.1, marking: 0.02, cold: 0.2)}
        without, with = [{threads: 3}, {threads: 8, other_threads: [4, 1]}].map { |threads|
          replay(units, **options, **threads)
        }
        assert_equal without.rows, with.rows
        assert_equal without.to_h.except(:trace), with.to_h.except(:trace)
      end
    end

    def test_each_pool_keeps_to_its_cap_and_takes_in_order
      result = replay(mixed, threads: 5, other_threads: [2], assignment: :shared)
      [3, 2].each_with_index do |cap, pool|
        spans = spans(result, pool)
        assert_equal cap, most_at_once(spans)
        assert_equal spans.map(&:first).sort, spans.map(&:first)
      end
    end

    # One process: units hold one GVL, so that together they hold it no longer than the time that passed.
    def test_all_pools_hold_one_gvl
      result = replay(mixed, threads: 5, other_threads: [2], assignment: :shared, handoff_ns: 0)
      assert_in_delta result.column(:held).sum, result.used_ns.sum, 1500
      assert_operator result.used_ns.sum, :<=, result.elapsed_ns
    end

    def test_the_gvl_is_never_free_while_a_pool_wants_it
      [[], [1], [3], [1, 1, 2]].each do |other_threads|
        units = Array.new(60) { |index| unit(held_ms: 7, pool: index % (other_threads.size + 1)) }
        assert_in_delta 420 * MS, replay(units, threads: 6, other_threads:, handoff_ns: 0).elapsed_ns, 60
      end
    end

    # They meet nowhere: neither holds the GVL for any time.
    def test_pools_whose_units_only_wait_know_nothing_of_each_other
      units = Array.new(40) { |index|
        unit(arrival_ms: 3 * index, held_ms: 0, idle_ms: 10 + index % 7, pool: index % 2)
      }
      both = replay(units, threads: 2, other_threads: [1], handoff_ns: 0)
      [0, 1].each { |pool|
        assert_equal spans(replay(units.select { |one| one.pool == pool }.map { |one| one.with(pool: 0) },
          threads: 1, handoff_ns: 0), 0),
          spans(both, pool)
      }
    end

    # A pool's queue is nobody else's: who waits for the GVL only, waits less than who waits for a thread.
    def test_a_full_pool_does_not_keep_others_out
      units = Array.new(20) { unit(held_ms: 30) } + [unit(arrival_ms: 1, held_ms: 1, pool: 1)]
      played = replay(units, threads: 2, other_threads: [1], time_slice_ns: 10 * MS, handoff_ns: 0)
      other = played.rows.last
      assert_equal 0, other[0]
      assert_in_delta 10 * MS, other[1], 1.1 * MS
      assert_operator replay(units.map { |each| each.with(pool: 0) }, threads: 1).column(:queued).last, :>,
        500 * MS
    end

    # Two processes of each pool's cap, and one queue of the pool that threads of both take from.
    def test_a_shared_queue_is_of_a_pool
      units = Array.new(8) { |index| unit(held_ms: 0, idle_ms: 100, pool: index % 2) }
      assert_equal [[0, 0, 0, 0], [0, 0, 100 * MS, 100 * MS]],
        [0,
          1].map { |pool|
          spans(
            replay(units, processes: 2, threads: 3, other_threads: [1], assignment: :shared,
              handoff_ns: 0), pool
          ).map(&:first).sort
        }
    end

    def test_a_limit_of_units_that_are_there
      units = mixed.each_with_index.map { |each, index| each.with(arrival_ns: index) }
      result = replay(units, threads: 5, other_threads: [2], assignment: :shared, most: 4)
      assert_equal 4, most_at_once([0, 1].flat_map { |pool| spans(result, pool) })
    end

    def test_what_can_not_be_is_refused
      no_thread_left = {threads: 2, other_threads: [2]}
      too_many_pools = {threads: 12, other_threads: [1] * 8}
      empty_pool = {threads: 5, other_threads: [1, 0]}
      [no_thread_left, too_many_pools, empty_pool].each { |wrong|
        assert_raises(ArgumentError, wrong.inspect) { replay([unit], **wrong) }
      }
      assert_raises(ArgumentError) { replay([unit(pool: 1)]) }
    end
  end
end
