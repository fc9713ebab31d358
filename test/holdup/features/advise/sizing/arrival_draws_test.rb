# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class ArrivalDrawsTest < Minitest::Test
    NS = 1_000_000_000
    HostMinute = Recording::ArrivalTimes::HostMinute
    # 45 s of units and 15 s of silence, as 3 or 4 a second.
    TURN = Array.new(60) { |second| (second < 45) ? 3 + second % 2 : 0 }

    def minute(seconds = TURN, **) = HostMinute.new(host: "a", start_s: 0, seconds:, **)

    def draws(*minutes, **) = ArrivalDraws.new(minutes, **)

    def by_second(times) = times.map { |at_ns| (at_ns / NS).floor }.tally

    def test_a_minute_has_as_many_units_in_each_second_as_came
      found = draws(minute).minute(minute, 60, 1.0, Random.new(1))
      expected = TURN.each_with_index.reject { |count, _| count.zero? }.to_h { |count, at| [at, count] }
      assert_equal expected, by_second(found)
      assert_equal found.sort, found
    end

    def test_a_minute_recorded_in_part_begins_where_the_recording_does
      late = minute([*[0] * 40, *[2] * 20], length_s: 20.0)
      assert_equal 40, late.from_s
      found = draws(minute).minute(late, 20.0, 1.0, Random.new(1))
      assert_equal [40, 0, 19], [found.size, *by_second(found).keys.minmax]
      early = minute([*[2] * 20, *[0] * 40], length_s: 20.0)
      assert_equal 0, early.from_s
    end

    def test_a_larger_load_has_the_same_turns
      [0.5, 2.0].each do |factor|
        found = Array.new(20) { |seed| draws(minute).minute(minute, 60, factor, Random.new(seed)) }
        assert_in_delta TURN.sum * factor, found.sum(&:size) / 20.0, 0.1 * TURN.sum * factor
        assert_operator found.flatten.count { |at_ns| at_ns > 45 * NS }, :<, 0.1 * found.flatten.size
      end
    end

    # Doubling each unit of independent ones would make pairs of them.
    def test_more_independent_units_stay_independent
      random = Random.new(5)
      all = Array.new(40) do
        counts = Array.new(600) { random.rand(60) }.tally
        minute(Array.new(60) { |second| counts.fetch(second, 0) })
      end
      found = all.flat_map do |one|
        counts = by_second(draws(*all).minute(one, 60, 2.0, random))
        Array.new(60) { |second| counts.fetch(second, 0) }
      end
      mean = found.sum.fdiv(found.size)
      variance = found.sum { |count| (count - mean)**2 } / found.size
      assert_in_delta 20, mean, 0.5
      assert_in_delta 1.0, variance / mean, 0.15
    end

    def test_a_peak_has_the_rate_and_the_shape_of_the_busiest_minutes
      quiet = minute([1] * 60)
      found = draws(minute, quiet).peak(2.6, 2_000, Random.new(2))
      assert_equal 2_000, found.size
      assert_in_delta 2.6, 2_000 * NS / found.last, 0.01
      silent = found.each_cons(2).count { |one, other| other - one > 10 * NS }
      assert_in_delta 2_000 / 2.6 / 60, silent, 2
    end

    # A large host has that many in less than a minute.
    def test_a_peak_of_a_large_host_has_parts_of_minutes
      found = draws(minute([500] * 60)).peak(500.0, 5_000, Random.new(2))
      assert_in_delta 500, 5_000 * NS / found.last, 0.01
      assert_in_delta 10, by_second(found).size, 1
    end

    def test_units_that_came_together_come_together
      [0.0, 0.8].each do |together|
        random = Random.new(7)
        found = Array.new(200) { draws(minute([6] * 60), together:).minute(minute([6] * 60), 1, 1.0, random) }
        close = found.sum { |times| close_pairs(times) }.fdiv(200 * 15)
        assert_in_delta together + (1 - together) * 0.1, close, 0.06, together
      end
    end

    def test_a_minute_with_about_as_many_stands_for_one_that_was_not_counted
      many, few = minute([50] * 60), minute([1] * 60)
      found = draws(many, few)
      assert_equal [many, few], [3_000, 70].map { |count| found.like(count, Random.new(1)) }
    end

    def test_needs_a_whole_minute_with_units
      assert ArrivalDraws.enough?([minute])
      refute ArrivalDraws.enough?([minute([0] * 60), minute(TURN, length_s: 50)])
      refute ArrivalDraws.enough?([])
    end

    private

    def close_pairs(times)
      times.map { |at_ns| (at_ns * 10 / NS).floor }.tally.values.sum { |count| count * (count - 1) / 2 }
    end
  end
end
