# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::AverageAndSlowTest < Minitest::Test
  include ExampleUnits

  AverageAndSlow = Holdup::Report::AverageAndSlow

  # A hundred units of 1 ms to 100 ms.
  def units = @units ||= (1..100).map { |ms| unit(ms) }

  def unit(ms)
    BurstStore::Burst.new(from_s: ms, to_s: ms + 1, count: 1).unit_samples.first
      .with(running_ns: 0, cpu_ns: 0, idle_ns: ms * MS, stalled_ns: 0)
  end

  def histogram = Holdup::Histogram.of(units.map(&:wall_ns))

  def slow(slow_units: [], unit_samples: units)
    AverageAndSlow.slow(histogram, slow_units:, unit_samples:)
  end

  def known(unit) = Holdup::SlowUnit.new(unit:, io_ns: unit.idle_ns, lock_ns: 0, sleep_ns: 0, native_ns: 0,
    pool_wait_ns: 0, parts: [])

  def test_the_slow_one_is_the_mean_of_those_around_the_95th_percentile
    found = slow

    assert_in_delta 95 * MS, found.wall_ns, 4 * MS
    assert_operator found.count, :<, 15
    assert_equal found.wall_ns, found.states[AverageAndSlow::IDLE]
  end

  def test_one_whose_states_are_known_counts_once_and_with_them
    known = [known(units[94])]
    found = slow(slow_units: known)

    assert_equal slow.count, found.count
    assert_in_delta 95.0 * MS / found.count, found.states[:io], 1
  end

  def test_there_is_none_where_none_is_kept
    assert_nil slow(unit_samples: units.first(50))
    assert_nil AverageAndSlow.slow(Holdup::Histogram.empty, slow_units: [], unit_samples: units)
  end

  def test_bars_are_as_long_as_what_they_show
    one = AverageAndSlow::MeanUnit.new(count: 10, states: {cpu: 10 * MS, stalled: 10 * MS})
    other = AverageAndSlow::MeanUnit.new(count: 2, states: {cpu: 10 * MS, stalled: 60 * MS, io: 10 * MS})
    block = AverageAndSlow.new({"average" => one, "slow" => other}, words: Holdup::View::Words.new).block

    assert_equal [0.25, 1.0], block.bars.values.map { |bar| bar.parts.values.sum }
    assert_equal "GVL wait 60.0 ms", block.bars["slow"].text_on(:stalled)
    assert_equal %i[cpu stalled io], block.legend.keys
    assert_equal ["GVL wait", "10.0 ms", "60.0 ms"], block.plain.rows[1]
    assert_equal ["elapsed", "20.0 ms", "80.0 ms"], block.plain.total
  end

  def test_the_average_is_that_of_all
    sample = SampleWindows.new
    row = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s).total
    average = AverageAndSlow.average(row)

    assert_in_delta row.per_unit(row.wall_ns), average.wall_ns, 1
    assert_equal row.count, average.count
  end
end
