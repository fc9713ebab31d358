# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Sizing::CoherencyEstimator::BlockStatisticsTest < Minitest::Test
  ScoreInterval = Holdup::Sizing::CoherencyEstimator::BlockStatistics::ScoreInterval
  UnitGroups = Holdup::Sizing::CoherencyEstimator::BlockStatistics::UnitGroups
  NS = 1_000_000_000
  # 95th percentiles of Student's t from its table.
  STUDENT = {3 => 2.353, 5 => 2.015, 10 => 1.812, 30 => 1.697, 120 => 1.658}.freeze
  Profile = Struct.new(:start_ns, :series, :weight)

  def profiles(seed, count: 400, length_s: 3600)
    random = Random.new(seed)
    Array.new(count) do
      Profile.new(random.rand(length_s * NS), %w[A B C].sample(random:), random.rand(1..9).to_f)
    end
  end

  def test_students_percentile_is_that_of_the_table
    STUDENT.each do |degrees, value|
      assert_in_delta value, ScoreInterval.student(degrees), value * 0.01, "#{degrees} degrees"
    end
  end

  def test_students_percentile_falls_with_more_degrees
    values = (3..200).map { |degrees| ScoreInterval.student(degrees) }
    assert_equal values.sort.reverse, values
    assert_in_delta ScoreInterval::Z, ScoreInterval.student(1e9), 1e-6
  end

  def test_finds_where_a_falling_score_crosses_the_bound
    [0.0, 0.123, 0.5, 0.9].each do |zero|
      found = ScoreInterval.where(-1.0, 1.0, 0.0) { |value| zero - value }
      assert_in_delta zero, found, 2.0 / 2**ScoreInterval::STEPS
    end
  end

  def test_a_crossing_outside_of_the_range_is_its_nearer_end
    assert_in_delta(-1.0, ScoreInterval.where(-1.0, 1.0, 0.0) { |value| -5 - value })
    assert_in_delta 1.0, ScoreInterval.where(-1.0, 1.0, 0.0) { |value| 5 - value }
  end

  def test_an_interval_has_its_value_between_its_ends
    20.times do |seed|
      random = Random.new(seed)
      offsets = Array.new(12) { 0.3 + random.rand(-0.1..0.1) }
      value, low, high = ScoreInterval.of(-1.0, 1.0, 12.0) { |one| offsets.map { |offset| offset - one } }
      assert_in_delta offsets.sum / 12, value, 0.001, "seed #{seed}"
      assert_operator low, :<, value, "seed #{seed}"
      assert_operator high, :>, value, "seed #{seed}"
    end
  end

  # 90 % of the intervals of the mean of normal numbers contain the true mean.
  def test_intervals_cover_the_truth_as_often_as_they_say
    random = Random.new(42)
    normal = -> { Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand) }
    covered = 600.times.count do
      offsets = Array.new(10) { 0.2 + 0.1 * normal.call }
      _, low, high = ScoreInterval.of(-1.0, 1.0, 10.0) { |one| offsets.map { |offset| offset - one } }
      (low..high).cover?(0.2)
    end
    assert_in_delta 0.9, covered / 600.0, 0.04
  end

  def test_centred_values_have_no_mean_in_any_group
    all = profiles(1)
    groups = UnitGroups.new(all)
    random = Random.new(2)
    centred = groups.centred(all.map { random.rand(1000.0) })
    all.each_index.group_by { |index| [all[index].series, groups.blocks[index]] }.each do |group, indexes|
      mean = indexes.sum { |index| centred[index] * all[index].weight }
      assert_in_delta 0, mean, 1e-6, group.inspect
    end
  end

  def test_a_level_of_a_series_or_of_a_block_is_no_difference
    all = profiles(3)
    groups = UnitGroups.new(all)
    levels = all.each_index.map { |index| all[index].series.ord * 10.0 + groups.blocks[index] * 1000 }
    groups.centred(levels).each { |value| assert_in_delta 0, value, 1e-6 }
  end

  # Their rounding errors would look like a variation.
  def test_equal_values_have_no_variation_at_all
    all = profiles(9)
    groups = UnitGroups.new(all)
    [0.1, Math.log2(5), 1e9 / 3, -0.7].each do |value|
      assert_equal [0.0], groups.centred(Array.new(all.size, value)).uniq, value.to_s
    end
  end

  def test_sums_of_blocks_add_up_to_the_weighted_sum
    all = profiles(4)
    sums = UnitGroups.new(all).by_block { |index| index.to_f }
    assert_in_delta all.each_with_index.sum { |profile, index| profile.weight * index }, sums.sum, 1e-3
  end

  def test_a_block_follows_time_and_not_the_order_of_the_units
    all = profiles(5)
    blocks = all.zip(UnitGroups.new(all).blocks)
    shuffled = all.shuffle(random: Random.new(1))
    again = shuffled.zip(UnitGroups.new(shuffled).blocks).to_h { |profile, block| [profile.start_ns, block] }
    partition = blocks.group_by(&:last).values.map { |same| same.map { |profile, _| profile.start_ns }.sort }
    other = again.group_by(&:last).values.map { |same| same.map(&:first).sort }
    assert_equal partition.sort, other.sort
    in_time = blocks.sort_by { |profile, _| profile.start_ns }.map(&:last).chunk_while { |a, b| a == b }
    assert_equal partition.size, in_time.count
  end

  def test_few_units_of_ten_minutes_are_one_block
    few = profiles(6, count: 2 * UnitGroups::UNITS - 1, length_s: UnitGroups::BLOCK_S.max.to_i)
    assert_equal [0], UnitGroups.new(few).blocks.uniq
    assert_empty UnitGroups.new([]).blocks
  end

  def test_many_units_are_thirty_blocks_of_ten_minutes_at_most
    hour = UnitGroups.new(profiles(7, count: 5000)).blocks.uniq.size
    assert_equal UnitGroups::BLOCKS, hour
    day = UnitGroups.new(profiles(8, count: 5000, length_s: 86_400)).blocks.uniq.size
    assert_equal 144, day
  end
end
