# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::HistogramBands::QuantileBandsTest < Minitest::Test
  Slices = Holdup::Analysis::HistogramBands::QuantileBands

  def test_each_band_is_the_mean_of_its_values
    random = Random.new(7)
    values = Array.new(5_000) { (1_000_000 * -Math.log(1 - random.rand) + 2_000).round }
    histogram = Holdup::Histogram.of(values)
    sorted = values.sort
    Slices::BANDS.each do |name, (from, to)|
      band = sorted[(from * 5_000).floor...(to * 5_000).floor]
      assert_in_delta 1.0, Slices.mean(histogram, from, to) / band.sum.fdiv(band.size), 0.03, name
      assert_equal band.size, Slices.size(histogram, from, to)
    end
  end

  def test_the_whole_is_the_mean
    histogram = Holdup::Histogram.of([500, 700, 5_000, 80_000])
    assert_in_delta histogram.mean, Slices.mean(histogram, 0.0, 1.0), histogram.mean * 0.03
  end

  def test_a_band_without_values_has_no_mean
    assert_nil Slices.mean(Holdup::Histogram.of([5_000, 6_000]), 0.99, 0.999)
    assert_nil Slices.mean(Holdup::Histogram.empty, 0.0, 0.1)
  end
end
