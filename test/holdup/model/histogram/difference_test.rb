# frozen_string_literal: true

require "test_helper"
require "holdup/model/histogram"

class Holdup::Histogram::DifferenceTest < Minitest::Test
  Histogram = Holdup::Histogram

  def test_what_was_added_comes_out_again
    (1..40).each do |seed|
      before, added = [seed, seed + 1_000].map { |s| Histogram.of(RandomValues.new(s).take(60)) }
      delta = before.merge(added) - before

      assert_equal %i[count sum zero offset counts].map { |name| added.public_send(name) },
        %i[count sum zero offset counts].map { |name| delta.public_send(name) }, "seed #{seed}"
    end
  end

  def test_min_and_max_enclose_the_added_values_within_a_bucket
    (1..40).each do |seed|
      before, added = [seed, seed + 1_000].map { |s| Histogram.of(RandomValues.new(s).take(60, :lognormal)) }
      delta = before.merge(added) - before

      assert_in_delta 1.0, delta.min / added.min.to_f, 0.045, "seed #{seed}"
      assert_in_delta 1.0, delta.max / added.max.to_f, 0.045, "seed #{seed}"
    end
  end

  def test_a_new_extreme_is_exact
    before = Histogram.of([5_000_000])
    delta = before.merge(Histogram.of([1_234, 7_654_321])) - before

    assert_equal [1_234, 7_654_321], [delta.min, delta.max]
  end

  def test_nothing_added_is_empty
    histogram = Histogram.of([5_000])

    assert_equal Histogram.empty, histogram - histogram
  end

  def test_the_difference_to_an_empty_histogram_is_the_histogram
    histogram = Histogram.of([10, 5_000, 70_000])

    assert_equal histogram, histogram - Histogram.empty
  end

  def test_refuses_a_histogram_that_is_not_an_earlier_snapshot
    assert_raises(ArgumentError) { Histogram.of([5_000]) - Histogram.of([5_000, 6_000]) }
  end
end
