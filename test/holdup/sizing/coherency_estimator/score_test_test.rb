# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Sizing::CoherencyEstimator::ScoreTestTest < Minitest::Test
  ScoreTest = Holdup::Sizing::CoherencyEstimator::ScoreTest
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
      SampleProfiles.profile(at_ms, name: index.odd? ? "A#b" : "B#c", running_ns: (8 * MS * factor).round,
        in_flight_milli: in_flight * 1000, concurrency: in_flight - 1)
    end
  end

  def score_test(units, shape: DoublingSteps, **)
    ScoreTest.new(units, shape, **, &:running_ns)
  end

  def scores(growth) = score_test(units).scores(growth)

  def closed(units) = units.to_set.compare_by_identity

  def late?(unit)
    unit.start_ns >= (SampleProfiles::START_S + 1800) * 1_000_000_000
  end
end
