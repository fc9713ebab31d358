# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class CoherencyEstimatorTest < Minitest::Test
    SEEDS = (1..4)
    # Of two intervals of 90 %.
    COVERED = 0.75
    RECORDINGS = {}

    # Neither, one of them, both; heavy-tailed units are what fools whoever looks at a unit's own neighbours.
    one_ruby def test_the_intervals_have_what_was_planted
      cases = [[0.0, 0.0, :LIKE], [0.2, 0.0, :LIKE], [0.0, 0.3, :LIKE], [0.2, 0.3, :LIKE],
        [0.0, 0.0, :HEAVY_TAILED]].product(SEEDS.to_a)
      wrong = cases.reject do |(growth, cold, endpoints), seed|
        found = growth_of(seed:, growth:, cold:, endpoints:)
        growth.between?(found.overall.low,
          found.overall.high) && cold.between?(found.rest.low, found.rest.high)
      end
      assert_operator wrong.size, :<=, cases.size * (1 - COVERED), wrong.inspect
    end

    # A load test that steps through connections, with hand-offs of up to 200 us: four minutes of it say more
    # than twenty of other traffic.
    one_ruby def test_the_intervals_of_closed_loads_have_what_was_planted
      cases = [0.0, 0.15, 0.3].product([0, 60_000, [20_000, 80_000, 200_000]].zip(SEEDS).to_a)
      found = cases.map do |growth, (handoff_ns, seed)|
        recording = SimulatedRecording.new(seed:, growth:, handoff_ns:, minutes: 4, slower: 3,
          connections: [1, 2, 3, 5, 8])
        estimate = CoherencyEstimator.new(recording.all).overall
        assert_operator estimate.between_levels, :>, 0.9
        assert_predicate estimate, :enough?
        growth.between?(estimate.low, estimate.high)
      end
      assert_operator found.count(true), :>=, cases.size * COVERED, cases.zip(found).inspect
    end

    UnmovedScores = Data.define(:amounts, :highest, :spread, :size, :between_levels) do
      def scores(_growth) = [-10.0, -9.0, -11.0]

      def alone_ns(_growth) = 1.0

      def doubt = 0.0
    end

    def test_scores_that_no_growth_moves_show_nothing
      test = UnmovedScores.new(amounts: [1.0], highest: 1.0, spread: 0.0, size: 300, between_levels: 1.0)
      found = CoherencyEstimator::IntervalEstimate.of(test, 3.0)
      assert_equal [-0.2, 1.0], [found.low, found.high]
      refute_predicate found, :enough?
      refute_predicate found, :grows?
    end

    # Of a database that all share: both kinds of loads show it, and neither shows what is not there.
    one_ruby def test_waits_that_grow_with_concurrency_have_an_interval_of_their_own
      closed = {minutes: 4, slower: 3, connections: [1, 2, 3, 5, 8]}
      cases = [0.0, 0.4].product([{minutes: 15}, closed], SEEDS.first(3))
      found = cases.map do |idle_growth, load, seed|
        estimate = CoherencyEstimator.new(SimulatedRecording.new(seed:, idle_growth:, **load).all).idle
        idle_growth.between?(estimate.low, estimate.high)
      end
      assert_operator found.count(true), :>=, cases.size * COVERED, cases.zip(found).inspect
    end

    # On virtual machines a rest hides what concurrency costs: alone is cold, together is warm.
    one_ruby def test_growth_and_rests_are_estimated_separately
      growing, resting = [{growth: 0.2, cold: 0.3}, {cold: 0.3}].map { |planted|
        SEEDS.map { |seed| growth_of(seed:, **planted) }
      }
      assert_operator growing.count { |found| found.overall.grows? && found.rest.grows? }, :>=, SEEDS.size - 1
      assert_operator resting.count { |found| found.overall.for_models.zero? && found.rest.grows? }, :>=,
        SEEDS.size - 1
      costs = growing.map(&:cost)
      assert_in_delta 0.2, costs.sum(&:growth) / costs.size, 0.07
      assert_in_delta 0.3, costs.sum(&:cold) / costs.size, 0.1
    end

    one_ruby def test_a_longer_recording_tells_more
      short, long = [15, 90].map { |minutes| growth_of(seed: 3, growth: 0.2, minutes:).overall }
      assert_operator long.high - long.low, :<, 0.7 * (short.high - short.low)
      assert_equal [false, true], [short.enough?, long.grows?]
    end

    # More heavy units at high load are no growth: each endpoint is compared with itself only.
    one_ruby def test_a_mix_that_goes_with_the_load_does_not_fool_it
      wrong = SEEDS.reject { |seed|
        growth_of(seed:, endpoints: :MIXED_BY_LOAD).overall.then { |found| 0.between?(found.low, found.high) }
      }
      assert_operator wrong.size, :<=, 1
    end

    # A nightly batch under the same name, a machine that slows down: units are compared within minutes.
    def test_units_that_get_heavier_with_the_hour_do_not_fool_it
      first_ns = unit_samples(seed: 1).first.start_ns
      heavier = unit_samples(seed: 1).map { |one|
        one.with(running_ns: (one.running_ns * (1 + (one.start_ns - first_ns) / 1.2e12)).round)
      }
      assert_in_delta growth_of(seed: 1).overall.value, CoherencyEstimator.new(heavier).overall.value, 0.02
    end

    def test_the_part_of_garbage_collection
      found = growth_of(seed: 2, growth: 0.2, gc_growth: 0.15).overall
      assert_in_delta 0.75, found.gc / found.value, 0.25
      assert_in_delta found.value, found.gc + found.rest, 1e-9
    end

    # What grows by each doubling would be predicted too small where more are in flight than were recorded.
    def test_what_collections_mark_of_each_further_unit
      found = SEEDS.map { |seed| growth_of(seed:, marking: 0.1) }
      assert_operator found.count { |one| 0.1.between?(one.marking.low, one.marking.high) }, :>=,
        SEEDS.size - 1
      assert_in_delta 0.1, found.sum { |one| one.marking.value } / found.size, 0.04
      exact = found.map(&:cost).select { |cost| cost.marking.positive? }
      assert_operator exact.size, :>=, SEEDS.size - 1
      assert_in_delta 0, exact.sum(&:growth) / exact.size, 0.05
    end

    one_ruby def test_what_caches_cost_is_not_taken_for_collections
      found = SEEDS.map { |seed| growth_of(seed:, growth: 0.2) }
      assert_in_delta 0, found.sum { |one| one.marking.value } / found.size, 0.02
      assert_equal 0.0, found.map { |one| one.cost.marking }.tally.max_by(&:last).first
    end

    def test_each_series
      found = growth_of(seed: 3, growth: 0.2, cold: 0.3)
      assert_equal found.series.keys.map(&:name).uniq.size, found.series.size
      widths = found.series.values.map { |one| one.high - one.low }
      assert_operator widths.sum / widths.size, :>, found.overall.high - found.overall.low
    end

    def test_without_concurrency_nothing_is_excluded
      found = growth_of(seed: 1, threads: 1).overall
      refute found.enough?
      assert_equal [0.0, 0.0], [found.spread.round(3), found.for_models]
      assert_equal [CoherencyEstimator::IntervalEstimate::LOWEST,
        CoherencyEstimator::IntervalEstimate::HIGHEST],
        [found.low, found.high]
    end

    one_ruby def test_of_very_many_units_some_are_looked_at
      some = unit_samples(seed: 1)
      many = CoherencyEstimator.new(Array.new(CoherencyEstimator::MOST / some.size * 3) { some }.flatten)
      assert_operator many.overall.units, :<=, CoherencyEstimator::MOST
    end

    def test_few_units_say_nothing
      found = CoherencyEstimator.new(unit_samples(seed: 1).first(150))
      assert_equal [nil, false, 0.0, nil, nil],
        [found.overall.value, found.overall.enough?, found.overall.for_models, found.rest.value,
          found.marking.value]
      assert_equal [nil, nil], [CoherencyEstimator.new([]).overall.value,
        CoherencyEstimator.new([]).rest.value]
    end

    # Of a store that is older than the knowledge of how units began.
    def test_ignores_units_with_an_unknown_start
      unknown = unit_samples(seed: 1).map { |one| one.with(concurrency: nil, rest_ns: nil) }
      assert_equal CoherencyCost::CONSTANT, CoherencyEstimator.new(unknown).cost
    end

    private

    def unit_samples(endpoints: :LIKE, **options)
      RECORDINGS[[endpoints,
        options]] ||= SimulatedRecording.new(endpoints: SimulatedRecording.const_get(endpoints), slower: 6,
          minutes: 20, **options).unit_samples
    end

    def growth_of(**) = CoherencyEstimator.new(unit_samples(**))
  end
end

class Holdup::Advise::Sizing::CoherencyEstimator::ColdStartCostTest < Minitest::Test
  ColdStartCost = Holdup::Advise::Sizing::CoherencyEstimator::ColdStartCost
  IntervalEstimate = Holdup::Advise::Sizing::CoherencyEstimator::IntervalEstimate
  CoherencyCost = Holdup::Advise::Sizing::CoherencyCost
  MS = 1_000_000
  NO_GROWTH = IntervalEstimate.unknown(0).with(value: 0.0, low: 0.0, high: 0.0)

  def test_finds_the_cost_of_a_rest
    [0.0, 0.2, 1.5].each do |cold|
      estimate = estimate(units(cold:))
      assert_in_delta cold, estimate.value, 0.01, "cold #{cold}"
      assert_operator estimate.low, :<=, estimate.value, "cold #{cold}"
      assert_operator estimate.high, :>=, estimate.value, "cold #{cold}"
    end
  end

  def test_the_interval_has_the_truth_in_spite_of_unlike_units
    covered = 20.times.count do |seed|
      found = estimate(units(cold: 0.3, seed:, sigma: 0.5))
      (found.low..found.high).cover?(0.3)
    end
    assert_operator covered, :>=, 15
  end

  def test_takes_the_growth_off_before
    units = units(cold: 0.2, growth: 0.4)
    grows = NO_GROWTH.with(value: 0.4, low: 0.4, high: 0.4)
    assert_in_delta 0.2, estimate(units, growth: grows).value, 0.01
    assert_operator estimate(units).value, :<, 0.1, "busy units seem slow, so a rest seems to cost less"
  end

  def test_an_uncertain_growth_widens_the_interval
    units = units(cold: 0.2, growth: 0.4)
    certain, uncertain = [0.0, 0.1].map do |either_side|
      estimate(units, growth: NO_GROWTH.with(value: 0.4, low: 0.4 - either_side, high: 0.4 + either_side))
    end
    assert_operator uncertain.low, :<, certain.low - 0.01
    assert_operator uncertain.high, :>, certain.high + 0.01
    assert_in_delta certain.value, uncertain.value
  end

  def test_a_cost_beyond_the_highest_is_the_highest
    assert_in_delta ColdStartCost::HIGHEST, estimate(units(cold: 5.0)).value, 0.01
  end

  def test_too_few_units_give_no_estimate
    fewest = Holdup::Advise::Sizing::CoherencyEstimator::FEWEST
    all = units(cold: 0.2, count: fewest)
    refute_nil estimate(all).value
    few = estimate(all.drop(1))
    assert_nil few.value
    assert_equal fewest - 1, few.units
  end

  def test_units_that_never_held_the_gvl_do_not_count
    some = units(cold: 0.2).each_with_index.map do |unit, index|
      (index % 3).zero? ? unit.with(running_ns: 0) : unit
    end
    assert_equal 266, estimate(some).units
    assert_in_delta 0.2, estimate(some).value, 0.01
  end

  def test_equal_rests_give_no_estimate
    [0, 7 * MS, nil].each do |rest_ns|
      estimate = estimate(units(cold: 0.2).map { |unit| unit.with(rest_ns:) })
      assert_nil estimate.value, rest_ns.inspect
    end
  end

  def test_says_by_how_much_rests_varied
    short = estimate(units(cold: 0.2).map { |unit| unit.with(rest_ns: unit.rest_ns / 100) })
    long = estimate(units(cold: 0.2))
    assert_operator long.spread, :>, 2 * short.spread
    assert_includes 2.0..30.0, long.blocks
  end

  private

  def estimate(units, growth: NO_GROWTH) = ColdStartCost.new(units, growth:).estimate

  # Over an hour, every other unit after a rest, the others with one to five more in flight.
  def units(cold:, growth: 0.0, count: 400, seed: 1, sigma: 0.0)
    random = Random.new(seed)
    Array.new(count) do |index|
      rest_ns, in_flight = index.even? ? [random.rand(1..200) * MS, 1] : [0, random.rand(2..6)]
      factor = (1 + growth * Math.log2(in_flight)) * (1 + cold * CoherencyCost.rested(rest_ns))
      unlike = Math.exp(sigma * random.rand(-1.7..1.7))
      ExampleUnits.unit_sample(index * 3_600_000 / count, name: (index % 4 < 2) ? "A#b" : "B#c", rest_ns:,
        running_ns: (8 * MS * factor * unlike).round, in_flight_milli: in_flight * 1000,
        concurrency: in_flight - 1)
    end
  end
end
