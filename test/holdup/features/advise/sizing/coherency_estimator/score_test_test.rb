# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::Sizing::CoherencyEstimator::ScoreTestTest < Minitest::Test
  ScoreTest = Holdup::Advise::Sizing::CoherencyEstimator::ScoreTest
  DoublingSteps = ScoreTest::CostShape::DoublingSteps
  PerUnit = ScoreTest::CostShape::PerUnit
  MS = 1_000_000
  HOUR_MS = 3_600_000
  GROWTH = 0.3

  def test_the_scores_of_the_true_growth_are_zero
    scores(GROWTH).each { |score| assert_in_delta 0.0, score, 1e-6 }
  end

  def test_scores_tell_on_which_side_of_the_truth_a_growth_is
    assert_operator scores(GROWTH - 0.05).sum, :>, 0.01
    assert_operator scores(GROWTH + 0.05).sum, :<, -0.01
  end

  def test_scores_fall_as_the_growth_rises
    [{}, {closed: closed(units)}].each do |options|
      test = score_test(units, **options)
      sums = (-2..10).map { |tenths| test.scores(tenths / 10.0).sum }
      assert_equal sums.sort.reverse, sums
    end
  end

  def test_a_growth_by_unit_is_found_as_well
    test = score_test(units { |in_flight| 1 + 0.1 * (in_flight - 1) }, shape: PerUnit)
    test.scores(0.1).each { |score| assert_in_delta 0.0, score / MS, 1e-3 }
    assert_operator test.scores(0.05).sum, :>, MS
  end

  # Within a block all units meet the same level, so only another block shows the growth.
  def test_units_of_a_closed_load_are_compared_across_blocks
    levels = units(level: ->(block) { 1 + block % 2 * 3 })
    assert_in_delta 0.0, score_test(levels).spread
    closed = score_test(levels, closed: closed(levels))
    assert_operator closed.spread, :>, 0.3
    assert_operator closed.scores(0.0).sum, :>, 1
    assert_in_delta 0.0, closed.scores(GROWTH).sum, 1e-6
  end

  def test_units_that_are_always_alone_say_nothing
    alone = score_test(units(level: ->(_block) { 1 }))
    assert_in_delta 0.0, alone.blocks
    assert_in_delta 0.0, alone.spread
    assert_in_delta 0.0, alone.between_levels
    alone.scores(0.5).each { |score| assert_in_delta 0.0, score }
  end

  def test_a_block_in_which_concurrency_hardly_varies_counts_less
    everywhere = score_test(units).blocks
    calm = units.map { |unit| late?(unit) ? unit.with(concurrency: 1) : unit }
    half = score_test(calm)
    assert_operator everywhere, :>, 10
    assert_in_epsilon everywhere / 2, half.blocks, 0.25
  end

  def test_evidence_between_levels_is_that_of_the_closed_part
    all = units
    assert_in_delta 0.0, score_test(all).between_levels
    assert_in_delta 1.0, score_test(all, closed: closed(all)).between_levels
    part = score_test(all, closed: closed(all.select { |unit| late?(unit) })).between_levels
    assert_includes 0.2..0.8, part
  end

  def test_the_time_alone_is_without_growth
    test = score_test(units)
    assert_in_epsilon 8 * MS, test.alone_ns(GROWTH), 1e-6
    assert_operator test.alone_ns(0.0), :>, 8 * MS
  end

  def test_means_stand_for_the_units_that_were_not_drawn
    light, heavy = units.first(2).zip([1.0, 3.0]).map { |unit, weight| unit.with(weight:) }
    test = score_test([light, heavy])
    assert_in_delta 0.75, test.mean_of { |index| index }
    assert_equal 2, test.size
  end

  # A number that all units share, such as how strongly they follow the machine, errs for all of them.
  def test_a_doubt_that_goes_with_concurrency_is_a_doubt_of_the_sum
    all = units
    assert_equal 0.0, score_test(all).doubt
    alike = score_test(all, doubts: all.map { 0.1 })
    assert_in_delta 0.0, alike.doubt, 1e-9
    with_load = score_test(all, doubts: all.map { |unit| 0.1 * unit.in_flight })
    assert_operator with_load.doubt, :>, 1
    times = score_test(all, shape: PerUnit, doubts: all.map { |unit| 0.1 * unit.in_flight })
    assert_operator times.doubt, :>, MS
  end

  def test_a_shape_returns_the_time_that_it_was_given
    [1_000, 8 * MS, 90_000 * MS].product([DoublingSteps, PerUnit]).each do |ns, shape|
      assert_in_epsilon ns, shape.ns(shape.figure(ns)), 1e-9, shape.name
      shorter = shape.ns(shape.without(shape.figure(ns), 1.25))
      assert_in_epsilon ns / 1.25, shorter, 1e-9, shape.name
    end
  end

  def test_steps_from_one_unit_on
    {0.5 => [0.0, 0.0], 1.0 => [0.0, 0.0], 2.0 => [1.0, 1.0], 8.0 => [3.0, 7.0]}.each do |in_flight, steps|
      assert_equal steps, [DoublingSteps, PerUnit].map { |shape| shape.amount(in_flight) }, in_flight.to_s
    end
  end

  private

  # Of two endpoints over an hour, each unit as long as its units in flight make it.
  # @param level [Proc, nil] units in flight in each block of five minutes; nil: any number
  # @yieldreturn [Float] factor of its time
  def units(level: nil)
    random = Random.new(2)
    Array.new(600) do |index|
      at_ms = index * HOUR_MS / 600
      in_flight = level ? level.call(index / 50) : random.rand(1..6)
      factor = block_given? ? yield(in_flight) : 1 + GROWTH * Math.log2(in_flight)
      ExampleUnits.unit_sample(at_ms, name: index.odd? ? "A#b" : "B#c", running_ns: (8 * MS * factor).round,
        in_flight_milli: in_flight * 1000, concurrency: in_flight - 1)
    end
  end

  def score_test(units, shape: DoublingSteps, **)
    ScoreTest.new(units, shape, **, &:running_ns)
  end

  def scores(growth) = score_test(units).scores(growth)

  def closed(units) = units.to_set.compare_by_identity

  def late?(unit)
    unit.start_ns >= (ExampleUnits::START_S + 1800) * 1_000_000_000
  end
end

class Holdup::Advise::Sizing::CoherencyEstimator::BlockStatisticsTest < Minitest::Test
  ScoreInterval = Holdup::Advise::Sizing::CoherencyEstimator::ScoreTest::BlockStatistics::ScoreInterval
  UnitGroups = Holdup::Advise::Sizing::CoherencyEstimator::ScoreTest::BlockStatistics::UnitGroups
  NS = 1_000_000_000
  # 95th percentiles of Student's t from its table.
  STUDENT = {3 => 2.353, 5 => 2.015, 10 => 1.812, 30 => 1.697, 120 => 1.658}.freeze
  Profile = Struct.new(:start_ns, :series, :weight)

  def unit_samples(seed, count: 400, length_s: 3600)
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

  def test_a_doubt_that_blocks_do_not_show_widens_the_interval
    offsets = Array.new(12) { |index| 0.3 + 0.01 * index }
    sure, doubtful = [0.0, 1.2].map do |doubt|
      ScoreInterval.of(-1.0, 1.0, 12.0, doubt:) { |one| offsets.map { |offset| offset - one } }
    end
    assert_in_delta sure[0], doubtful[0], 0.001
    assert_operator doubtful[1], :<, sure[1] - 0.1
    assert_operator doubtful[2], :>, sure[2] + 0.1
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
    all = unit_samples(1)
    groups = UnitGroups.new(all)
    random = Random.new(2)
    centred = groups.centred(all.map { random.rand(1000.0) })
    all.each_index.group_by { |index| [all[index].series, groups.blocks[index]] }.each do |group, indexes|
      mean = indexes.sum { |index| centred[index] * all[index].weight }
      assert_in_delta 0, mean, 1e-6, group.inspect
    end
  end

  def test_a_level_of_a_series_or_of_a_block_is_no_difference
    all = unit_samples(3)
    groups = UnitGroups.new(all)
    levels = all.each_index.map { |index| all[index].series.ord * 10.0 + groups.blocks[index] * 1000 }
    groups.centred(levels).each { |value| assert_in_delta 0, value, 1e-6 }
  end

  # Their rounding errors would look like a variation.
  def test_equal_values_have_no_variation_at_all
    all = unit_samples(9)
    groups = UnitGroups.new(all)
    [0.1, Math.log2(5), 1e9 / 3, -0.7].each do |value|
      assert_equal [0.0], groups.centred(Array.new(all.size, value)).uniq, value.to_s
    end
  end

  def test_sums_of_blocks_add_up_to_the_weighted_sum
    all = unit_samples(4)
    sums = UnitGroups.new(all).by_block { |index| index.to_f }
    assert_in_delta all.each_with_index.sum { |unit, index| unit.weight * index }, sums.sum, 1e-3
  end

  def test_a_block_follows_time_and_not_the_order_of_the_units
    all = unit_samples(5)
    blocks = all.zip(UnitGroups.new(all).blocks)
    shuffled = all.shuffle(random: Random.new(1))
    again = shuffled.zip(UnitGroups.new(shuffled).blocks).to_h { |unit, block| [unit.start_ns, block] }
    partition = blocks.group_by(&:last).values.map { |same| same.map { |unit, _| unit.start_ns }.sort }
    other = again.group_by(&:last).values.map { |same| same.map(&:first).sort }
    assert_equal partition.sort, other.sort
    in_time = blocks.sort_by { |unit, _| unit.start_ns }.map(&:last).chunk_while { |a, b| a == b }
    assert_equal partition.size, in_time.count
  end

  def test_few_units_of_ten_minutes_are_one_block
    few = unit_samples(6, count: 2 * UnitGroups::UNITS - 1, length_s: UnitGroups::BLOCK_S.max.to_i)
    assert_equal [0], UnitGroups.new(few).blocks.uniq
    assert_empty UnitGroups.new([]).blocks
  end

  def test_many_units_are_thirty_blocks_of_ten_minutes_at_most
    hour = UnitGroups.new(unit_samples(7, count: 5000)).blocks.uniq.size
    assert_equal UnitGroups::BLOCKS, hour
    day = UnitGroups.new(unit_samples(8, count: 5000, length_s: 86_400)).blocks.uniq.size
    assert_equal 144, day
  end
end
