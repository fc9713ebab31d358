# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class MinuteCountsTest < Minitest::Test
    include ExampleUnits

    MINUTE_MS = 60_000
    NS = 1_000_000_000

    def test_windows_of_a_minute_are_what_they_are
      one = window(seconds: 60, count: 7)
      assert_equal [one], minutes([]).warm([one])
      assert_equal({ExampleUnits::START_S => 7}, minutes([]).counts([one]))
    end

    def test_longer_windows_are_spread_evenly_where_no_unit_is_kept
      assert_equal [10.0] * 5, minutes([]).counts([window(seconds: 300, count: 50)]).values
    end

    def test_units_tell_in_which_minutes_they_came
      units = [0, 0, 0, 2, 2, 3].each_with_index.map { |minute, index| at(minute, index) }
      found = minutes(units).counts([window(seconds: 300, count: 60)])
      assert_equal [0, 2, 3], found.keys.map { |at_s| (at_s - ExampleUnits::START_S) / 60 }
      assert_in_delta 30, found.values.first, 1e-9
      assert_in_delta 60, found.values.sum, 1e-9
    end

    # All minutes had as many: of one unit in twenty that is kept, chance would make some minutes look busier.
    def test_chance_is_no_swing
      random = Random.new(1)
      units = Array.new(1800) {
        ExampleUnits.unit_sample(random.rand * 60 * MINUTE_MS, name: "A#b", weight: 20.0)
      }
      windows = Array.new(6) { |slot|
        window(start_s: ExampleUnits::START_S + 600 * slot, seconds: 600,
          count: 6000)
      }
      found = minutes(units).counts(windows).values
      assert_operator units.map { |unit| unit.start_ns / NS / 60 }.tally.values.max, :>, 40
      assert_operator found.max, :<, 660
    end

    # Of a long span single units are read of some of its ten minutes only: they say how many came then, and
    # nothing of the others.
    def test_minutes_of_which_no_unit_was_read_have_what_is_left
      units = (0..9).flat_map { |minute| Array.new(30) { |index| at(minute, 19 * index, weight: 2.0) } }
      found = minutes(units).counts([window(seconds: 3600, count: 2400)]).values
      assert_equal 60, found.size
      assert_in_delta 60, found.first, 1
      assert_in_delta 1800 / 50.0, found.last, 1e-6
      assert_in_delta 2400, found.sum, 1e-6
    end

    # Three times as many in one minute are more than chance.
    def test_swings_are_no_chance
      units = (0..9).flat_map { |minute|
        Array.new((minute == 4) ? 90 : 30) { |index| at(minute, index, weight: 20.0) }
      }
      found = minutes(units).counts([window(seconds: 600, count: 7200)]).values
      assert_in_delta 1800, found[4], 200
    end

    def test_the_first_minutes_of_a_process_are_taken_off
      young = ExampleUnits::PROCESS.with(since_ns: ExampleUnits::START_S * NS)
      units = (0..9).map { |minute|
        at(minute, 0, process: young,
          running_ns: (minute < 2) ? 20 * ExampleUnits::MS : 10 * ExampleUnits::MS)
      }
      whole = window(seconds: 600, count: 100, running: 12 * ExampleUnits::MS * 100, sums: {cpu_ns: 1000})
      part = minutes(units).warm([whole]).first
      assert_equal 80, part.count
      assert_in_delta 800 * ExampleUnits::MS, part.histograms[:running].sum, ExampleUnits::MS
      assert_equal (2..9).to_a,
        minutes(units).counts([part]).keys.map { |at_s| (at_s - ExampleUnits::START_S) / 60 }
    end

    # Two processes, one of which begins at the third minute and has a fifth of the requests from then on.
    def test_a_restart_costs_its_own_units_and_no_others
      old = ExampleUnits::PROCESS
      young = old.with(pid: 8, since_ns: (ExampleUnits::START_S + 120) * NS)
      units = (0..9).flat_map { |minute|
        own = Array.new(4) { |index| at(minute, index, process: old) }
        (minute < 2) ? own : [*own, at(minute, 5, process: young)]
      }
      counts = minutes(units)
      kept = counts.warm((0..9).map { |minute|
        window(seconds: 60, count: (minute < 2) ? 400 : 500, start_s: ExampleUnits::START_S + minute * 60)
      })
      assert_equal [400] * 4 + [500] * 6, kept.map(&:count)
      assert_equal [400] * 2 + [500] * 8, counts.counts(kept).values.map(&:round)
    end

    def test_nothing_is_left_of_a_window_of_young_processes
      young = ExampleUnits::PROCESS.with(since_ns: ExampleUnits::START_S * NS)
      assert_empty minutes([at(0, 0, process: young),
        at(1, 0, process: young)]).warm([window(seconds: 300, count: 9)])
    end

    private

    def minutes(units)
      Recording::MinuteCounts.new(units, Holdup::Analysis::ProcessBoots.new(units, []))
    end

    def at(minute, index, **rest)
      ExampleUnits.unit_sample(minute * MINUTE_MS + 100 * index, name: "A#b", **rest)
    end

    def window(seconds:, count:, start_s: ExampleUnits::START_S, running: 0, sums: {})
      series = Holdup::Series.new(kind: :request, name: "A#b")
      empty = Holdup::Window.empty(series:, setting: ExampleUnits::SETTING, host: "a", start_s:, seconds:)
      head = Holdup::Histogram::CountAndSum.new(count:, sum: running)
      empty.with(count:, sums: empty.sums.merge(sums), histograms: empty.histograms.merge(running: head))
    end
  end
end
