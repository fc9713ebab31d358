# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_units"

# Two settings whose requests take equally long, in processes of which one boot takes longer than another.
# Whatever the spread of boots is, and however few processes there are, intervals of 90 % have the truth in at
# least 88 %.
class DifferentBootsTest < Minitest::Test
  one_ruby

  NS = 1_000_000_000
  PROCESSES = [1, 2, 4, 8].freeze
  SPREADS = [0.0, 0.05, 0.12].freeze
  PROMISED = 0.9
  HELD = 0.88
  MINUTES = 60
  A_MINUTE = 2
  METRIC = Holdup::Compare::Comparison::Metric::ALL.fetch(:wall_mean)
  SETTINGS = [5, 3].map { |threads|
    Holdup::Setting.new(attributes: {"server" => "puma", "threads" => threads})
  }.freeze

  def normal(random)
    Math.sqrt(-2 * Math.log(1 - random.rand)) * Math.cos(2 * Math::PI * random.rand)
  end

  # At the same time, so that nothing else differs.
  def side(setting, processes, spread, random)
    factors = Array.new(processes) { Math.exp(spread * normal(random)) }
    units = factors.each_with_index.flat_map { |factor, pid| boot(setting, pid, factor, random) }
    Holdup::Compare::Side.new(label: "", windows: windows(units), unit_samples: units,
      from_s: ExampleUnits::START_S, to_s: ExampleUnits::START_S + MINUTES * 60)
  end

  def boot(setting, pid, factor, random)
    process = ExampleUnits::PROCESS.with(pid: 10 * SETTINGS.index(setting) + pid)
    Array.new(MINUTES * A_MINUTE) do |index|
      running_ns = (8_000_000 * factor * Math.exp(0.5 * normal(random) - 0.125)).round
      ExampleUnits.unit_sample(index * 60_000 / A_MINUTE, setting:, process:, running_ns:, idle_ns: 0,
        stalled_ns: 0)
    end
  end

  def windows(units)
    units.group_by { |unit| unit.start_ns / NS / 300 * 300 }.map do |start_s, own|
      empty = Holdup::Window.empty(series: own.first.series, setting: own.first.setting, host: "a", start_s:,
        seconds: 300)
      wall = Holdup::Histogram.of(own.map(&:wall_ns))
      empty.with(count: own.size, histograms: empty.histograms.merge(wall:))
    end
  end

  def estimate(processes, spread, seed)
    random = Random.new(seed)
    sides = SETTINGS.map { |setting| side(setting, processes, spread, random) }
    Holdup::Compare::Comparison.new(*sides, percentiles: [], seed:).estimate(METRIC)
  end

  repeated_nightly def test_intervals_have_the_truth_whatever_boots_differ_by
    count = Thorough.turns(15, nightly: 300)
    PROCESSES.product(SPREADS).each do |processes, spread|
      held = Array.new(count) do |seed|
        estimate(processes, spread, 1000 * processes + seed).interval(PROMISED).cover?(0.0)
      end
      least = HELD - 3 * Math.sqrt(HELD * (1 - HELD) / count)
      share = held.count(true).fdiv(count)
      assert_operator share, :>=, least, "#{processes} a side, spread #{spread}"
    end
  end

  # Without the draw, they have it in fewer: that is what the draw is for.
  def test_without_the_draw_intervals_are_too_narrow
    held = Array.new(15) { |seed| estimate(1, 0.12, seed).without_boots.interval(PROMISED).cover?(0.0) }
    assert_operator held.count(true), :<=, 10
  end
end
