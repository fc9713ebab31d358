# frozen_string_literal: true

require "test_helper"
require "holdup/model/histogram"

class Holdup::Histogram::QuantileTest < Minitest::Test
  QUANTILES = [0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0].freeze
  SHAPES = %i[lognormal clusters alike boundaries].freeze
  BOUND = (2**(1 / 32.0)) - 1 # half a bucket: 2.19 %

  def test_the_error_is_at_most_half_a_bucket_for_every_shape_and_size
    SHAPES.product([1, 2, 7, 60, 1_000], (1..8).to_a) do |shape, size, seed|
      values = RandomValues.new(seed).take(size, shape).select { |value| value > 1_024 }.sort
      next if values.empty?
      histogram = Holdup::Histogram.of(values)

      QUANTILES.each do |q|
        exact = values[[(q * values.size).ceil, 1].max - 1]
        error = (histogram.quantile(q) - exact).abs / exact.to_f
        assert_operator error, :<=, BOUND + (0.5 / exact), "#{shape} #{size} seed #{seed} q #{q}"
      end
    end
  end

  def test_quantiles_never_fall_and_stay_inside_min_and_max
    (1..20).each do |seed|
      histogram = Holdup::Histogram.of(RandomValues.new(seed).take(100))
      found = QUANTILES.map { |q| histogram.quantile(q) }

      assert_equal found.sort, found, "seed #{seed}"
      assert_equal [histogram.min, histogram.max], [found.first, found.last], "seed #{seed}"
    end
  end

  def test_it_is_nil_without_values
    assert_nil Holdup::Histogram.empty.quantile(0.5)
  end

  def test_a_quantile_outside_of_zero_to_one_is_refused
    assert_raises(ArgumentError) { Holdup::Histogram.of([5]).quantile(50) }
  end
end
