# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# Intervals are worth what they promise: of many comparisons of equals whose load goes up and down (each
# minute like the one before, correlation 0.8, deviation 0.35), those that hold the truth are counted.
class Holdup::Compare::Comparison::CoverageTest < Minitest::Test
  TRIALS = 80
  MINUTES = 240
  UNITS = 83
  START_S = 20_000 * 86_400
  NORMAL = Random.new(1).then { |random|
    Array.new(2000) { Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand) }
  }
  # Log-normal, sigma 1.
  SHAPE = Holdup::Histogram.of(NORMAL.first(UNITS).map { |value| (20_000_000 * Math.exp(value)).round })
  SERIES = Holdup::Series.new(kind: :request, name: "A#b")
  SETTING = Holdup::Setting.new(attributes: {"ruby" => "3.4.5"})

  one_ruby def test_of_what_is_promised_nine_tenths_hold_where_units_taken_singly_fail_in_most
    found = Array.new(TRIALS) { |seed| trial(Random.new(seed)) }
    mean, p95, naive = %i[mean p95 naive].map { |key| found.count { |trial| trial[key] }.fdiv(TRIALS) }
    assert_operator mean, :>=, 0.9
    assert_operator p95, :>=, 0.9
    assert_operator naive, :<, 0.4
  end

  # Six minutes a side: enough under a load generator, and not where swings last longer than a minute; then it
  # is said.
  one_ruby def test_few_short_blocks_cover_less_where_minutes_resemble_the_one_before
    steady, swinging = [0.0, 0.8].map { |correlation|
      Array.new(TRIALS) { |seed| trial(Random.new(seed), minutes: 6, correlation:) }
    }
    assert_operator held(steady), :>=, 0.9
    assert_includes 0.55..0.89, held(swinging)
    assert_equal [0.7], (steady + swinging).map { |trial| trial[:said] }.uniq
  end

  private

  def held(trials)
    trials.count { |trial| trial[:mean] }.fdiv(TRIALS)
  end

  def trial(random, **load)
    sides = [0, MINUTES + 600].map { |offset| side(random, offset, **load) }
    comparison = Holdup::Compare::Comparison.new(*sides, rounds: 40)
    estimates = comparison.estimates
    {said: comparison.held, mean: estimates[:wall_mean].interval.cover?(0.0),
     p95: estimates[:wall_p95].interval.cover?(0.0), naive: naive.cover?(estimates[:wall_mean].change)}
  end

  # 95 % for the difference of two means of units that know nothing of each other.
  def naive
    variance = (Math.exp(1) - 1) / (MINUTES * UNITS)
    reach = 1.96 * Math.sqrt(2 * variance)
    -reach..reach
  end

  def side(random, offset, minutes: MINUTES, correlation: 0.8)
    load = normal(random)
    rest = Math.sqrt(1 - correlation**2)
    windows = Array.new(minutes) do |minute|
      load = correlation * load + rest * normal(random)
      window(START_S + (offset + minute) * 60, 0.35 * load + 0.1 * normal(random))
    end
    Holdup::Compare::Side.new(label: "x", windows:, from_s: windows.first.start_s,
      to_s: windows.last.end_s)
  end

  # All units of the minute so much longer, to the next bucket.
  def window(start_s, logarithm)
    buckets = (logarithm / Math.log(2) * 16).round
    wall = SHAPE.with(offset: SHAPE.offset + buckets, sum: (SHAPE.sum * 2**(buckets / 16.0)).round)
    empty = EMPTY.with(start_s:, count: UNITS)
    empty.with(histograms: EMPTY.histograms.merge(wall:))
  end

  EMPTY = Holdup::Window.empty(series: SERIES, setting: SETTING, host: "a", seconds: 60)
  private_constant :EMPTY

  def normal(random) = NORMAL[random.rand(NORMAL.size)]
end
