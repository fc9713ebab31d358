# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::BlockBootstrapTest < Minitest::Test
  BlockBootstrap = Holdup::Compare::BlockBootstrap
  HOUR_S = 3600
  # `seconds`: that it was measured
  Minute = Data.define(:start_s, :seconds)

  def minutes(count, from_s: 0, seconds: 60)
    Array.new(count) { |index| Minute.new(start_s: from_s + index * 60, seconds:) }
  end

  def blocks(before, after) = BlockBootstrap::TimeBlocks.new(before, after)

  def test_each_round_draws_as_many_blocks_as_there_are
    drawn = BlockBootstrap.new(4, 9, paired: false, rounds: 30).rounds { |*times| times }
    assert_equal 30, drawn.size
    assert_equal [[4, 4]], drawn.map { |before, _| [before.size, before.sum] }.uniq
    assert_equal [[9, 9]], drawn.map { |_, after| [after.size, after.sum] }.uniq
    assert_operator drawn.uniq.size, :>, 20
  end

  def test_the_same_blocks_of_time_are_drawn_together
    paired = BlockBootstrap.new(5, 5, paired: true).rounds { |before, after| before == after }
    apart = BlockBootstrap.new(5, 5, paired: false).rounds { |before, after| before == after }
    assert_equal [true], paired.uniq
    assert_includes apart, false
  end

  def test_draws_the_same_again
    first, again = Array.new(2) { BlockBootstrap.new(5, 6, paired: false).rounds { |*times| times } }
    assert_equal first, again
  end

  def test_too_few_blocks_give_no_rounds
    assert_empty BlockBootstrap.new(2, 50, paired: false).rounds { flunk "drawn from two blocks" }
    assert_equal 200, BlockBootstrap.new(3, 50, paired: false).rounds { 1 }.size
  end

  # The deviation of a mean of n values, whatever n is.
  def test_deviation_is_that_of_the_difference_of_two_means
    random = Random.new(3)
    sides = Array.new(2) { Array.new(40) { random.rand(10.0..20.0) } }
    bootstrap = BlockBootstrap.new(40, 40, paired: false, rounds: 2000)
    means = bootstrap.rounds do |*times|
      sides.zip(times).map { |side, drawn| side.zip(drawn).sum { |value, count| value * count } / 40 }
    end
    expected = Math.sqrt(sides.sum { |side| variance(side) / 40 })
    deviation, freedom = bootstrap.deviation(means, ratio: false)
    assert_in_epsilon expected, deviation, 0.1
    assert_in_delta 78, freedom, 2
  end

  def variance(values)
    mean = values.sum / values.size
    values.sum { |value| (value - mean)**2 } / (values.size - 1)
  end

  def test_what_moves_both_sides_alike_cancels
    pairs = [[10.0, 20.0], [12.0, 22.0], [14.0, 24.0]]
    assert_in_delta 0, BlockBootstrap.new(3, 3, paired: true).deviation(pairs, ratio: false).first
    doubled = [[10.0, 20.0], [12.0, 24.0], [14.0, 28.0]]
    assert_in_delta 0, BlockBootstrap.new(3, 3, paired: true).deviation(doubled, ratio: true).first, 1e-9
  end

  # n blocks show (n - 1)/n of their variance.
  def test_deviation_is_larger_the_fewer_the_blocks
    pairs = [[10.0, 20.0], [12.0, 20.0], [14.0, 20.0]]
    few, many = [3, 1000].map { |count| BlockBootstrap.new(count, count, paired: true) }
    squares = [few, many].map { |one| one.deviation(pairs, ratio: false).first**2 }
    assert_in_epsilon 1.5, squares.first / squares.last, 0.01
    assert_equal 2, few.deviation(pairs, ratio: false).last
  end

  # A figure that is 0 in a draw has no logarithm.
  def test_deviation_of_a_ratio_where_a_side_was_zero
    deviation, = BlockBootstrap.new(50, 50, paired: false).deviation([[0.0, 1.0], [2.0, 1.0]], ratio: true)
    assert_in_delta Math.sqrt(2), deviation, 0.05
    assert_equal 0, BlockBootstrap.new(5, 5, paired: false).deviation([[0.0, 0.0]] * 3, ratio: true).first
  end

  def test_blocks_are_as_long_as_the_recording_allows
    lengths_s = {60 => 60, 719 => 60, 720 => 120, HOUR_S => 600, 6 * HOUR_S => 3600, 35 * HOUR_S => 3600,
                 36 * HOUR_S => 10_800, 144 * HOUR_S => 43_200}
    lengths_s.each do |covered_s, length_s|
      assert_equal length_s, BlockBootstrap::TimeBlocks.length_s(covered_s), "#{covered_s} s"
    end
  end

  def test_the_shorter_side_decides_how_long_blocks_are
    assert_equal 120, blocks(minutes(12), minutes(600)).length_s
  end

  def test_a_block_holds_the_longest_window
    hours = Array.new(3) { |index| Minute.new(start_s: index * HOUR_S, seconds: HOUR_S - 100) }
    assert_equal HOUR_S, blocks(hours, hours).length_s
  end

  def test_sides_of_the_same_minutes_are_paired
    assert_predicate blocks(minutes(8), minutes(8)), :paired?
    assert_predicate blocks(minutes(8), minutes(8, from_s: 120)), :paired?, "three quarters are shared"
    refute_predicate blocks(minutes(8), minutes(8, from_s: 180)), :paired?
    refute_predicate blocks([], []), :paired?
  end

  def test_numbers_of_paired_blocks_are_those_of_both
    shared = blocks(minutes(8), minutes(8, from_s: 120))
    assert_equal [(2..7).to_a] * 2, [0, 1].map { |side| shared.numbers(side) }
    apart = blocks(minutes(3), minutes(2, from_s: 6000))
    assert_equal [[0, 1, 2], [100, 101]], [0, 1].map { |side| apart.numbers(side) }
  end

  def test_how_often_intervals_of_such_blocks_hold_the_truth
    far = 10 * HOUR_S
    assert_in_delta 0.7, blocks(minutes(6), minutes(6, from_s: far)).held
    assert_in_delta 0.88, blocks(minutes(30), minutes(30, from_s: far)).held
    assert_in_delta 0.9, blocks(minutes(360), minutes(360, from_s: far)).held
    assert_nil blocks(minutes(6), minutes(6)).held
  end
end
