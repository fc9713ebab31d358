# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/burst_store"

class Holdup::Compare::ReaderTest < Minitest::Test
  def test_sides_by_setting
    sample = SampleWindows.new(minutes: 2)
    store = Holdup::Store.open("memory:")
    store.commit(sample.to_a, {})
    recorded = Holdup::Compare::Reader.new(store, from_s: sample.from_s, to_s: sample.to_s,
      filter: Holdup::Analysis::UnitFilter.new(kind: :request, name: "Orders*"))
    assert_equal [200], recorded.settings.values
    assert_equal [200, 0], [recorded.side("x", recorded.settings.keys).units, recorded.side("x", []).units]
  end

  def test_halves_of_the_processes_of_a_setting
    simulated = SimulatedArms.new(minutes: 3)
    store = Holdup::Store.open("memory:")
    simulated.fill(store)
    recorded = Holdup::Compare::Reader.new(store, from_s: simulated.from_s, to_s: simulated.to_s,
      filter: Holdup::Analysis::UnitFilter.new(kind: :request))
    control = recorded.settings.keys.find { |setting| setting["arm"] == "control" }
    halves = recorded.process_halves("control", [control], step_s: 60)
    assert_equal [360, 360], halves.map(&:units)
    assert_equal [1, 1], halves.map { |half| half.settings.size }
    assert_nil recorded.process_halves("nobody", [], step_s: 60)
  end

  PART_S = 4200
  FEW = SampleWindows::STOREFRONT.first(2).to_h { |name, shape| [name, shape.merge(units: 9)] }.freeze

  # Longer stretches are only a shorter way to the same.
  def test_what_is_put_together_comes_to_what_is_apart
    recorded = recorded(part, part(seed: 2, later_s: PART_S, setting: {"threads" => 3}),
      began_s: SampleWindows::START_S + PART_S + 1250)
    parts = recorded.settings.keys.map { |setting| [recorded, setting["threads"].to_s, [setting]] }
    apart = parts.map { |_, *part| recorded.side(*part) }
    together = Holdup::Compare::Reader.sides(parts)

    assert_operator together.sum { |side| side.windows.size }, :<, apart.sum { |side| side.windows.size } / 4
    refute_empty together.last.cold
    counts = [apart, together].map { |sides| sides.map { |side| side_counts(side) } }
    assert_equal(*counts)
    assert_equal(*[apart, together].map { |sides| figures(sides) })
  end

  def test_only_the_first_minutes_of_processes_stay_separate
    intervals = Holdup::Compare::Reader::ComparisonIntervals.new(from_s: 100, to_s: 20_000,
      window_s: 3600, began_s: [7300])
    found = intervals.of(3600, [[0, 3600], [18_000, 21_600]])
    assert_equal [[100, 7260, 3600], [7260, 7440, 60], [7440, 20_000, 3600]],
      found.map { |interval| interval.to_h.values }
  end

  # Windows know minutes at best.
  one_ruby def test_rates_are_over_the_seconds_that_were_measured
    BurstStore::AGES_S.each_key do |finest_s|
      store = BurstStore.new(burst(10, 17.6, 900), burst(40_000, 40_300, 3000)).open(finest_s:)
      throughput = comparison(store, [0, 20_000], [20_000, 90_000]).estimates[:throughput]
      assert_in_delta 119, throughput.before, 1, "windows of #{finest_s} s"
      assert_in_delta 10, throughput.after, 0.1, "windows of #{finest_s} s"
    end
  end

  private

  def burst(from_s, to_s, count)
    BurstStore::Burst.new(from_s:, to_s:, count:, born_s: -3600)
  end

  def comparison(store, *spans)
    sides = spans.map do |from_s, to_s|
      [
        Holdup::Compare::Reader.new(store, from_s: BurstStore::START_S + from_s,
          to_s: BurstStore::START_S + to_s, filter: Holdup::Analysis::UnitFilter.new(kind: :request)), "x"
      ]
    end
    Holdup::Compare::Comparison.new(*Holdup::Compare::Reader.sides(sides))
  end

  def part(seed: 1, later_s: 0, setting: {})
    setting = SampleWindows::SETTING.merge(setting)
    windows = SampleWindows.new(minutes: PART_S / 60, units: FEW, seed:, setting:).to_a
    windows.map { |window| window.with(start_s: window.start_s + later_s) }
  end

  # A process of the last setting begins in between.
  def recorded(*parts, began_s:)
    store = Holdup::Store.open("memory:")
    sample = {at_s: began_s + 60, host: "web-1", pid: 7, start: 1, since_s: began_s,
              setting: parts.last.first.setting.fingerprint}
    store.commit(parts.flatten, {}, processes: [sample])
    Holdup::Compare::Reader.new(store, from_s: SampleWindows::START_S,
      to_s: SampleWindows::START_S + 2 * PART_S, filter: Holdup::Analysis::UnitFilter.new(kind: :request))
  end

  def side_counts(side)
    [side.units, side.cold.map(&:start_s).uniq, side.other_windows.sum { |window| window.sums[:cpu_ns] }]
  end

  def figures(sides)
    comparison = Holdup::Compare::Comparison.new(*sides)
    [comparison.block_s, comparison.sizes,
      comparison.estimates.transform_values { |estimate| rounded(estimate) }]
  end

  def rounded(estimate)
    [estimate.before, estimate.after, estimate.interval].compact.map do |figure|
      figure.is_a?(Range) ? [figure.begin.round(9), figure.end.round(9)] : figure.round(6)
    end
  end
end
