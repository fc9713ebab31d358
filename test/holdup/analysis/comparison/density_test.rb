# frozen_string_literal: true

require "test_helper"
require "holdup/analysis/comparison/density"

class Holdup::Analysis::Comparison::DensityTest < Minitest::Test
  Density = Holdup::Analysis::Comparison::Density
  VALUES = Array.new(5000) { |index| (5_000_000 * 1.0005**index).round }.freeze

  def test_quantiles_are_those_of_the_values
    density = Density.of(Holdup::Histogram.of(VALUES))
    [0.1, 0.5, 0.9, 0.99].each { |share| assert_in_epsilon VALUES[(share * VALUES.size).floor - 1], density.quantile(share), 0.005 }
  end

  def test_a_small_shift_shows
    before, after = [VALUES, VALUES.map { |value| (value * 1.01).round }].map { |values| Density.of(Holdup::Histogram.of(values)).quantile(0.95) }
    assert_in_delta 1.01, after / before, 0.002
  end

  def test_what_weighs_twice_counts_twice
    histogram = Holdup::Histogram.of([1_000_000] * 10 + [500])
    heavy = Density.weighted([[1_000_000, 2.0]] * 5 + [[500, 1.0]])
    assert_equal 11, heavy.mass
    assert_in_delta Density.of(histogram).quantile(0.5), heavy.quantile(0.5), 1
    assert_operator heavy.quantile(0.05), :<=, 1024
  end

  def test_sums_and_nothing
    one = Density.of(Holdup::Histogram.of([1_000_000]))
    other = Density.of(Holdup::Histogram.of([9_000_000]))
    assert_operator Density.sum([[one, 1.0], [other, 3.0]]).quantile(0.3), :>, 8_000_000
    assert_nil Density.sum([]).quantile(0.5)
  end

  def test_c_adds_what_ruby_adds
    random = Random.new(3)
    fast, slow = Array.new(2) { Array.new(Density::SIZE, 0.0) }
    20.times do
      density = Density.new(random.rand(0..300), Array.new(random.rand(0..200)) { [random.rand(0..9), random.rand].sample(random:) })
      weight = random.rand(0.0..3.0)
      density.add_to(fast, weight)
      density.send(:add_slowly, slow, weight)
    end
    assert_equal slow.map { |mass| mass.round(9) }, fast.map { |mass| mass.round(9) }
    assert_raises(ArgumentError) { Holdup::HistogramDumps.add_weighted([0.0], 0, [1, 2], 1.0) }
  end
end
