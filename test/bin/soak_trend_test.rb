# frozen_string_literal: true

require "test_helper"
require_relative "../../bin/support/soak/trend"

# How bin/soak knows growth from noise.
class SoakTrendTest < Minitest::Test
  one_ruby

  # One sample each ten seconds for half an hour, with noise that stays the same for a minute.
  def trend(per_hour:, noise: 1.0, start: 100.0)
    random = Random.new(7)
    values = Array.new(180) do |index|
      @noise = random.rand(-noise..noise) if (index % 6).zero?
      [index * 10, start + per_hour * index * 10 / 3600.0 + @noise]
    end
    Soak::Trend.of(values)
  end

  def test_noise_around_one_value_is_flat
    flat = trend(per_hour: 0, noise: 0.1)
    assert_equal :flat, flat.verdict
    assert_includes flat.interval, 0.0
  end

  def test_growth_beyond_the_noise_is_found
    grown = trend(per_hour: 20)
    assert_equal :grows, grown.verdict
    assert_includes grown.interval, 20.0
  end

  def test_too_much_noise_is_said
    assert_equal :unknown, trend(per_hour: 0, noise: 40.0).verdict
  end

  def test_growth_that_the_control_has_too_is_none
    difference = trend(per_hour: 21) - trend(per_hour: 20)
    assert_in_delta 1.0, difference.slope, 1e-6
    assert_equal :flat, difference.verdict(whole: 100)
  end

  def test_a_few_points_say_nothing
    short = Soak::Trend.new([[0, 1.0], [10, 2.0], [20, 3.0]])
    assert_nil short.interval
    assert_equal :unknown, short.verdict
  end

  def test_a_jump_of_one_block_moves_the_slope_little
    points = Array.new(12) { |hour| [hour * 3600, (hour == 6) ? 900.0 : 10.0] }
    assert_in_delta 0.0, Soak::Trend.new(points).slope
  end

  # From Sen's table of Kendall's S: 12 points have 66 slopes, of which the interval of 90 % leaves out 20 at
  # either end.
  def test_the_interval_is_sens
    random = Random.new(3)
    points = Array.new(12) { |hour| [hour * 3600, random.rand] }
    slopes = points.combination(2).map { |(from, low), (to, high)| (high - low) * 3600 / (to - from) }.sort
    assert_equal slopes[20]..slopes[45], Soak::Trend.new(points).interval
  end
end
