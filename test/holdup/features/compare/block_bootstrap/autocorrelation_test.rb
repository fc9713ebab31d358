# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::BlockBootstrap::AutocorrelationTest < Minitest::Test
  Comparison = Holdup::Compare::Comparison
  WALL, P95, CPU = %i[wall_mean wall_p95 cpu_unit].map { |name| Comparison::Metric::ALL.fetch(name) }
  UP_AND_DOWN = [10, 20, 10, 20, 10, 20].freeze
  # One swing of six blocks.
  SWING = [10, 12, 20, 22, 14, 11].freeze

  def persistence(*sides, paired: false)
    Holdup::Compare::BlockBootstrap::Autocorrelation.new(
      sides.map { |side| side.map { |wall| {wall_mean: wall.to_f, cpu_unit: 7.0} } }, paired:
    )
  end

  def test_blocks_that_are_not_like_the_one_before_are_taken_for_independent
    assert_in_delta 1.0, persistence(UP_AND_DOWN, UP_AND_DOWN).widening(WALL), 1e-9
    assert_in_delta 1.0, persistence(SWING, SWING).widening(CPU), 1e-9
  end

  def test_a_swing_that_lasts_makes_the_interval_wider_also_of_percentiles
    widening = persistence(SWING, SWING).widening(WALL)
    assert_operator widening, :>, 1.5
    assert_equal widening, persistence(SWING, SWING).widening(P95)
  end

  def test_what_hits_both_sides_at_the_same_time_cancels
    twice = SWING.map { |wall| wall * 2 }
    assert_in_delta 1.0, persistence(SWING, twice, paired: true).widening(WALL), 1e-9
    assert_operator persistence(SWING, UP_AND_DOWN, paired: true).widening(WALL), :>=, 1.0
  end

  def test_a_figure_that_is_zero_in_some_blocks
    assert_operator persistence([0, 0, 3, 4, 0, 0], SWING).widening(WALL), :>, 1.0
    assert_in_delta 1.0, persistence([0] * 6, [0] * 6).widening(WALL), 1e-9
  end

  def test_a_long_swing_is_never_wider_than_what_a_process_of_that_kind_can_be
    rising = (1..30).to_a
    assert_operator persistence(rising, rising).widening(WALL), :<, 10
  end
end
