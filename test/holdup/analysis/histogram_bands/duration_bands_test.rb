# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::HistogramBands::DurationBandsTest < Minitest::Test
  Spread = Holdup::Analysis::HistogramBands::DurationBands

  def spread(*values)
    Spread.new(values.map { |ns| ns && Holdup::Histogram.of(ns) })
  end

  def test_every_value_is_in_the_band_that_ends_above_it
    random = Random.new(3)
    values = Array.new(500) { (1_000 * 10**(random.rand * 6)).round }
    found = spread(values)
    upto = found.upto_ns
    counts = upto.each_index.map { |band|
      values.count { |ns| ns <= upto[band] && (band.zero? || ns > upto[band - 1]) }
    }
    assert_equal [counts], found.counts
  end

  def test_bands_are_the_same_for_all
    found = spread([2_000_000], nil, [4_000_000, 900])
    assert_equal [found.upto_ns.size], found.counts.map(&:size).uniq
    assert_equal [1, 0, 2], found.counts.map(&:sum)
    assert_equal found.upto_ns.sort.uniq, found.upto_ns
    assert_equal Holdup::Histogram::Buckets::FLOOR_NS, found.upto_ns.first
  end

  def test_a_heat_map_has_two_bands_for_each_doubling
    values = [1_000_000, 8_000_000]
    upto = Spread.new([Holdup::Histogram.of(values)], slots: Spread::HEAT).upto_ns
    upto.each_cons(3) { |from, _, to| assert_in_delta 2.0, to.fdiv(from), 0.01 }
    assert_equal 2 * upto.size - 1, spread(values).upto_ns.size, "a curve has twice as many"
  end

  def test_nothing_has_no_bands
    assert_equal [[], [[]]], [spread(nil).upto_ns, spread(nil).counts]
  end
end
