# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::SlowestUnitsQueryTest < Minitest::Test
  include ExampleUnits

  Series = Holdup::Series

  def setup
    @store = Holdup::Store.open("memory:")
    @store.migrate!
  end

  def read(from_s = START_S, to_s = START_S + 600, **filter)
    filter = Holdup::Analysis::UnitFilter.new(**filter)
    Holdup::Queries::SlowestUnitsQuery.call(@store, from_s:, to_s:, filter:)
  end

  def commit(*slow_units, windows: [])
    @store.commit(windows, {}, slowest: Holdup::SlowestBlock.of(slow_units))
  end

  def window(kind, name, queue, start_s, **histograms)
    empty = Holdup::Window.empty(series: Series.new(kind:, name:, queue:), setting: SETTING, host: "a",
      start_s:, seconds: 60)
    sums = histograms.transform_values { |ms| Holdup::Histogram.of([ms * MS]) }
    empty.with(count: 1, histograms: {**empty.histograms, **sums})
  end

  def test_has_none_of_recordings_from_before
    assert_equal Holdup::Queries::SlowestUnitsQuery::KeptUnits.new(units: [], from_s: nil, whole: false),
      read
  end

  def test_reads_the_slowest_of_the_chosen_units
    commit(*Array.new(8) { |index| slow_unit(index, name: "A#b", idle_ns: index * MS) },
      *Array.new(8) { |index| slow_unit(index, name: "C#d", idle_ns: index * MS) },
      slow_unit(0, kind: :job, name: "J", queue: "q"))
    assert_equal 10, read.units.size
    assert_equal %w[C#d], read(name: "C*").units.map { |one| one.slow.unit.series.name }.uniq
    assert_equal %w[J], read(kind: :job, queue: "q").units.map { |one| one.slow.unit.series.name }
    assert_equal 0, read(threads: 99).units.size
    assert_equal 10, read(threads: 5).units.size
    assert_equal START_S, read.from_s
  end

  def test_one_of_them_can_be_explained_alone
    slow = slow_unit(9_000, name: "A#b", stalled_ns: 90 * MS, parts: [[:pair, "Sales", 80 * MS]])
    commit(slow, windows: [window(:request, "Sales", nil, START_S, wall: 100)])
    explained = read.units.first
    filter = Holdup::Analysis::UnitFilter.new(name: "A#b")
    query = Holdup::Queries::SlowestUnitsQuery

    assert_equal [explained.slow], query.units(@store, from_s: START_S, to_s: START_S + 60, filter:, most: 5)
    assert_equal explained.chain, query.chain(@store, explained.slow)
    assert_predicate explained.chain, :any?
  end

  def test_says_where_recordings_are_older_than_what_is_kept
    commit(slow_unit(900_000), windows: [window(:request, "A#b", nil, START_S, wall: 9)])
    refute_predicate read(START_S - 600, START_S + 1200), :whole
    assert_predicate read(START_S + 900, START_S + 1200), :whole
    commit(slow_unit(1))
    assert_predicate read(START_S - 600, START_S + 1200), :whole, "nothing was recorded before"
  end

  # Not in the one before, in which it began.
  def test_explains_each_by_the_minute_in_which_it_ended
    slow = slow_unit(59_990, name: "A#b", idle_ns: 20 * MS, stalled_ns: 90 * MS,
      parts: [[:pair, "Sales", 80 * MS]])
    waits = [START_S, START_S + 60].zip(%w[Other Orders]).flat_map do |start_s, holder|
      [window(:request, "Sales", nil, start_s, wall: 100, stalled: 90),
        window(:pair, "Sales", holder, start_s, stalled: 70)]
    end
    commit(slow, windows: waits)
    assert_equal %w[Sales Orders], read.units.first.chain.links.map(&:holder)
  end
end
