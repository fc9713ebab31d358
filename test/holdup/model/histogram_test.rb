# frozen_string_literal: true

require "test_helper"
require "holdup/model/histogram"

class Holdup::HistogramTest < Minitest::Test
  Histogram = Holdup::Histogram
  SEEDS = (1..40).to_a.freeze

  def test_counts_sums_and_extremes_are_exact
    SEEDS.each do |seed|
      values = RandomValues.new(seed).take(200)
      histogram = Histogram.of(values)

      assert_equal [200, values.sum, values.min, values.max],
        [histogram.count, histogram.sum, histogram.min, histogram.max], "seed #{seed}"
      assert_equal 200, histogram.zero + histogram.counts.sum, "seed #{seed}"
    end
  end

  def test_merge_is_associative_and_commutative_and_equals_recording_everything_at_once
    SEEDS.each do |seed|
      parts = Array.new(3) { |i| RandomValues.new((seed * 3) + i).take(50) }
      a, b, c = parts.map { |values| Histogram.of(values) }

      assert_equal a.merge(b).merge(c), a.merge(b.merge(c)), "seed #{seed}"
      assert_equal a.merge(b), b.merge(a), "seed #{seed}"
      assert_equal Histogram.of(parts.flatten), Histogram.sum([a, b, c]), "seed #{seed}"
    end
  end

  def test_the_empty_histogram_is_neutral
    histogram = Histogram.of([5_000, 7_000_000])

    assert_equal histogram, histogram.merge(Histogram.empty)
    assert_equal histogram, Histogram.empty.merge(histogram)
  end

  def test_record_adds_one_value_and_leaves_the_receiver_alone
    before = Histogram.of([5_000])
    after = before.record(9_000)

    assert_equal Histogram.of([5_000, 9_000]), after
    assert_equal 1, before.count
  end

  def test_a_negative_value_counts_as_zero
    histogram = Histogram.of([-5])

    assert_equal [1, 0, 0, 1], [histogram.count, histogram.sum, histogram.min, histogram.zero]
  end

  def test_what_is_longer_than_the_range_lands_in_the_last_bucket
    histogram = Histogram.of([1 << 50])

    assert_equal 511, histogram.offset
    assert_equal [1], histogram.counts
    assert_equal 1 << 50, histogram.quantile(0.5)
  end

  def test_equal_distributions_are_equal_with_any_number_of_zeros
    padded = Histogram.new(count: 1, sum: 2_000, min: 2_000, max: 2_000, zero: 0, offset: 0,
      counts: [0] * 15 + [1, 0, 0])

    assert_equal Histogram.of([2_000]), padded
  end

  def test_it_is_frozen_through_and_through
    assert_predicate Histogram.of([5_000]), :frozen?
    assert_predicate Histogram.of([5_000]).counts, :frozen?
  end

  def test_a_sum_without_values_survives_merging_and_has_no_quantile
    account = Histogram.of_sum(70).merge(Histogram.of_sum(5))

    assert_equal 75, account.sum
    assert_nil account.quantile(0.5)
    assert_nil account.mean
    refute_predicate account, :empty?
  end

  def test_the_sum_with_a_count_and_sum_is_one_too
    whole = Histogram.of([5_000, 7_000_000])
    head = Histogram::CountAndSum.new(count: 3, sum: 9_000)
    none = Histogram::CountAndSum.new(count: 0, sum: 0)

    assert_equal Histogram::CountAndSum.new(count: 5, sum: 7_014_000), Histogram.sum([whole, head])
    assert_equal Histogram::CountAndSum.new(count: 6, sum: 18_000), Histogram.sum([head, none, head])
    assert_equal none, Histogram.sum([none, none])
  end

  def test_mean_is_exact
    assert_in_delta 2_500.0, Histogram.of([2_000, 3_000]).mean
  end

  def test_index_is_the_rule_of_open_telemetry
    assert_equal [15, 31, 159, 160], [2, 4, 1024, 1025].map { |value| Histogram.index(value) }
  end
end
