# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_units"

module Holdup::Advise::Sizing
  class CountedSeriesTest < Minitest::Test
    MS = 1_000_000

    # Windows counted 90 of A and 10 of B; the sample has five of each.
    def test_each_series_comes_as_often_as_it_was_counted
      units = CountedSeries.new([window("A", 90), window("B", 10)]).like(sample)
      weights = units.group_by { |unit| unit.series.name }.transform_values { |same| same.sum(&:weight) }
      assert_in_delta 9.0, weights["A"] / weights["B"]
    end

    def test_the_sample_weighs_as_much_as_before
      units = CountedSeries.new([window("A", 90), window("B", 10)]).like(sample)
      assert_in_delta sample.sum(&:weight), units.sum(&:weight)
    end

    # Chance drew the longer ones: windows know a mean of 4 ms.
    def test_mean_times_are_those_of_the_windows
      windows = [window("A", 90, running: 4 * MS, idle: 10 * MS), window("B", 10)]
      units = CountedSeries.new(windows).like(sample)
      drawn = units.find { |unit| unit.series.name == "A" }
      assert_equal [4 * MS, 10 * MS], [drawn.running_ns, drawn.idle_ns]
      assert_equal 3_500_000, drawn.cpu_ns, "what it ran is shorter in all its parts"
    end

    def test_a_series_without_windows_stays
      units = CountedSeries.new([window("A", 90)]).like(sample)
      assert_equal sample.last, units.last
    end

    def test_a_complete_recording_is_not_changed
      complete = sample(weight: 1.0)
      assert_same complete, CountedSeries.new([window("A", 90)]).like(complete)
    end

    private

    CountedSeries = Recording::CountedSeries

    def sample(weight: 10.0)
      %w[A B].flat_map { |name| Array.new(5) { |at| ExampleUnits.unit_sample(at, name:, weight:) } }
    end

    def window(name, count, running: 8 * MS, idle: 20 * MS)
      histograms = {running:, idle:}.transform_values { |ns| Holdup::Histogram.of([ns] * count) }
      SampleWindows.new.window(name, count:, histograms:)
    end
  end
end
