# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::RecordedInterval::ChartedSpanTest < Minitest::Test
  HOUR = 3600

  # Twelve minutes of requests, in a store on the disk and in memory.
  def setup
    @sample = SampleWindows.new(minutes: 12)
    @store = Holdup::Store.open("memory:")
    @store.commit(@sample.to_a, {})
  end

  def recorded = [@sample.from_s, @sample.to_s]

  def charted(**options)
    Holdup::Queries::RecordedInterval::ChartedSpan.new(@store, **options)
  end

  def test_the_part_of_a_day_that_has_data
    assert_equal recorded, charted.within(@sample.from_s - 20 * HOUR, @sample.to_s + 4 * HOUR)
  end

  def test_the_same_from_sqlite
    Dir.mktmpdir do |folder|
      store = Holdup::Store.open(File.join(folder, "store.sqlite3"))
      store.commit(@sample.to_a, {})
      assert_equal recorded,
        Holdup::Queries::RecordedInterval::ChartedSpan.new(store)
          .within(@sample.from_s - 20 * HOUR, @sample.to_s + 4 * HOUR)
      span = Holdup::Queries::RecordedInterval::ChartedSpan.new(store)
      assert_equal recorded, span.last(@sample.to_s + 400 * HOUR)
      store.close
    end
  end

  def test_to_the_minute_where_hours_are_rolled_up
    @store.rollup(@sample.to_s + 3 * HOUR)
    assert_equal recorded, charted.within(@sample.from_s - 6 * 24 * HOUR, @sample.to_s + 3 * HOUR)
  end

  def test_no_further_than_the_span
    assert_equal [@sample.from_s + 120, @sample.from_s + 300],
      charted.within(@sample.from_s + 120, @sample.from_s + 300)
  end

  def test_a_span_without_data_has_none
    assert_nil charted.within(@sample.to_s + HOUR, @sample.to_s + 2 * HOUR)
    assert_equal [1, 2], charted.shown(1, 2)
  end

  def test_what_is_shown_of_a_long_span_is_what_has_data
    assert_equal recorded, charted.shown(@sample.from_s - HOUR, @sample.to_s + HOUR)
  end

  def test_nearly_all_is_all
    assert_equal [@sample.from_s, @sample.to_s + 30], charted.shown(@sample.from_s, @sample.to_s + 30)
  end

  def test_of_which_units
    other = Holdup::Analysis::UnitFilter.new(name: "Nobody")
    assert_nil charted(filter: other, units: true).within(*recorded)
    assert_equal recorded, charted(filter: other).within(*recorded),
      "a chart without units is one of a process that had none"
  end

  def test_of_which_settings
    assert_nil charted(filter: Holdup::Analysis::UnitFilter.new(threads: 77)).within(*recorded)
  end

  def test_the_last_recording
    assert_equal recorded, charted.last(@sample.to_s + 300 * HOUR)
    assert_nil charted.last(@sample.from_s)
  end

  # A minute of two hours before, and one of ten minutes before, is another recording and the same.
  def test_a_pause_ends_a_recording
    [2 * HOUR, 600].each { |before_s|
      @store.commit([@sample.window("GET /", count: 1, start_s: @sample.from_s - before_s)], {})
    }
    assert_equal [@sample.from_s - 600, @sample.to_s], charted.last(@sample.to_s + HOUR)
  end

  def test_of_old_data_as_fine_as_it_is_kept
    now_s = @sample.from_s + 5 * 24 * HOUR
    @store.rollup(now_s)
    @store.prune(now_s, max_bytes: 1 << 30)
    from_s, to_s = charted.last(now_s)
    assert_operator from_s, :<=, @sample.from_s
    assert_operator to_s, :>=, @sample.to_s
    assert_operator to_s - from_s, :<=, 12 * 60 + 600
  end
end
