# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::RecordedIntervalTest < Minitest::Test
  DAY_S = 86_400
  START_S = 20_700 * DAY_S
  UNITS = {kinds: Holdup::Series::UNITS}.freeze

  def test_nothing_was_recorded
    assert_nil Holdup::Queries::RecordedInterval.call(store([]), from_s: START_S, to_s: START_S + DAY_S,
**UNITS)
  end

  def test_minutes_at_the_ends_of_a_long_recording
    store = store([36_060, DAY_S + 7_380], aged_s: 1200)
    assert_equal [36_060, DAY_S + 7_440], extent(store, -30 * DAY_S, 30 * DAY_S)
  end

  def test_whole_windows_where_only_long_ones_are_left
    store = store([36_060, 36_420], aged_s: 20 * DAY_S)
    assert_equal [36_000, 39_600], extent(store, -DAY_S, DAY_S)
    assert_equal [36_000, 39_600], extent(store, 36_300, 36_400)
  end

  def test_a_part_of_a_recording
    store = store([0, 60, 120, 180])
    assert_equal [60, 180], extent(store, 70, 130)
  end

  def test_settings_that_are_wanted
    store = store([0, 600])
    assert_nil extent(store, 0, DAY_S, settings: [])
    assert_equal [0, 660], extent(store, 0, DAY_S, settings: store.settings)
  end

  # The same minutes, whatever was asked for around them.
  def test_empty_time_around_changes_nothing
    40.times do |seed|
      random = Random.new(seed)
      after_s = Array.new(random.rand(1..5)) { random.rand(0..3000) * 60 }.sort
      store = store(after_s, aged_s: [0, 1200, DAY_S, 4 * DAY_S, 20 * DAY_S].sample(random:))
      exact = extent(store, after_s.min, after_s.max + 60)
      before_s = random.rand(0..10 * DAY_S)
      later_s = random.rand(0..10 * DAY_S)
      padded = extent(store, after_s.min - before_s, after_s.max + 60 + later_s)
      assert_equal exact, padded, "seed #{seed}"
    end
  end

  private

  def store(after_s, aged_s: 0)
    Holdup::Store.open("memory:").tap do |store|
      store.commit(after_s.map { |at_s| window(START_S + at_s) }, {})
      now_s = START_S + after_s.max.to_i + 60 + aged_s
      store.rollup(now_s)
      store.prune(now_s, max_bytes: 1 << 40)
    end
  end

  def window(start_s)
    setting = Holdup::Setting.new(attributes: {"threads" => 5})
    series = Holdup::Series.new(kind: :request, name: "A#b")
    Holdup::Window.empty(series:, setting:, host: "a", start_s:, seconds: 60).with(count: 1)
  end

  def extent(store, from_s, to_s, **which)
    found = Holdup::Queries::RecordedInterval.call(store, from_s: START_S + from_s, to_s: START_S + to_s,
**UNITS, **which)
    found && [found.from_s - START_S, found.to_s - START_S]
  end
end
