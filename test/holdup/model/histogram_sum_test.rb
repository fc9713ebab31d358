# frozen_string_literal: true

require "test_helper"
require "holdup/model/histogram"

class Holdup::HistogramSumTest < Minitest::Test
  Histogram = Holdup::Histogram
  VALUES = [[3_000_000, 5_000_000, 5_000_001], [0, 900, 1_000_000_000], [7_000]].freeze

  def test_the_sum_is_the_histogram_of_all_values
    sum = VALUES.each_with_object(Holdup::HistogramSum.new) { |values, all| all.add(Histogram.of(values)) }
    assert_equal Histogram.of(VALUES.flatten), sum.to_histogram
  end

  def test_recorded_values_are_added_alike
    sum = Holdup::HistogramSum.new.add(Histogram.of(VALUES.first))
    VALUES.drop(1).flatten.each { |value| sum.record(value) }
    assert_equal Histogram.of(VALUES.flatten), sum.to_histogram
  end

  def test_one_part_is_the_result_itself
    only = Histogram.of([5_000_000])
    assert_same only, Holdup::HistogramSum.new.add(Histogram.of([])).add(only).to_histogram
  end

  def test_nothing_is_an_empty_histogram
    assert_predicate Holdup::HistogramSum.new.to_histogram, :empty?
  end

  def test_dumps_are_added_with_histograms_in_any_order
    dumps = VALUES.first(2).map { |values| Histogram.of(values).dump }.join
    before = Holdup::HistogramSum.new.add(Histogram.of(VALUES.last)).add_dumps(dumps)
    after = Holdup::HistogramSum.new.add_dumps(dumps).add(Histogram.of(VALUES.last))
    assert_equal [Histogram.of(VALUES.flatten)] * 2, [before, after].map(&:to_histogram)
  end

  def test_a_time_that_is_counted_elsewhere_leaves_the_values
    sum = Holdup::HistogramSum.new.add(Histogram.of([5_000_000, 7_000_000])).subtract_sum(2_000_000)
    found = sum.to_histogram
    assert_equal 10_000_000, found.sum
    assert_equal Histogram.of([5_000_000, 7_000_000]).with(sum: 10_000_000), found
  end

  def test_a_negative_value_counts_as_none
    assert_equal Histogram.of([0]), Holdup::HistogramSum.new.record(-5).to_histogram
  end

  # Where a part has only count and sum, so has the sum.
  def test_counts_and_sums
    head = Histogram::CountAndSum.new(count: 2, sum: 30)
    [[Histogram.of([7_000]), head], [head, Histogram.of([7_000])]].each do |parts|
      sum = parts.each_with_object(Holdup::HistogramSum.new) { |part, all| all.add(part) }
      assert_equal Histogram::CountAndSum.new(count: 3, sum: 7_030), sum.to_histogram
    end
  end

  def test_damaged_dumps_are_an_error
    dump = Histogram.of(VALUES.first).dump
    sum = Holdup::HistogramSum.new.add_dumps(dump[0..-2])
    assert_raises(Holdup::DamagedData) { sum.to_histogram }
  end
end
