# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_units"

class Holdup::Compare::ProcessAgesTest < Minitest::Test
  Ages = Holdup::Compare::ProcessAges
  Metric = Holdup::Compare::Comparison::Metric
  HOUR_S = 3600
  MS = 1_000_000
  MB = 1_000_000

  def test_bands_of_age
    ages_s = {0 => 0, 119 => 0, 120 => 120, 3599 => 600, 86_400 => 86_400, 10_000_000 => 86_400}
    ages_s.each { |age_s, from_s| assert_equal from_s, Ages.band(age_s).from_s, age_s }
    assert_nil Ages.band(86_400).to_s
  end

  # A clock that was set back.
  def test_a_negative_age_is_the_youngest
    assert_equal 0, Ages.band(-5).from_s
  end

  def test_bands_that_both_sides_have
    rows = Ages.rows([units(300, 100) + units(7200, 120), units(300, 150) + units(7200, 99)])
    assert_equal [120], rows.map { |row| row.band.from_s }
    assert_equal [100, 150], rows.first.units
  end

  def test_times_are_weighted
    light, heavy = units(300, 100, wall_ms: 10), units(300, 100, wall_ms: 40, weight: 9.0)
    row = Ages.rows([light + heavy, light]).first
    before, after = row.walls.map { |wall| wall.quantile(0.5) / MS }
    assert_in_delta 40, before, 2
    assert_in_delta 10, after, 1
  end

  # Memory grows for hours: it is compared at the highest age that processes of both sides have reached.
  def test_memory_is_compared_at_the_same_age
    before = [sample(1, 300, 100), sample(1, 7200, 200), sample(1, 30_000, 400)]
    memory = memory(before, [sample(2, 300, 90), sample(2, 7200, 300)])
    assert_equal HOUR_S, memory.band.from_s
    estimate = memory.estimate(Metric::ALL[:pss])
    assert_equal [200.0 * MB, 300.0 * MB], [estimate.before, estimate.after]
    assert_nil estimate.deviation, "one process of a side says nothing of the others"
  end

  def test_memory_at_no_common_age_is_unknown
    memory = memory([sample(1, 300, 100)], [sample(2, 7200, 100)])
    assert_nil memory.band
    refute_predicate memory.estimate(Metric::ALL[:pss]), :known?
    assert_equal [0, 0], memory.processes
  end

  # Several samples of a process are one value.
  def test_the_interval_is_over_processes
    before = [100, 110].each_with_index.flat_map do |mb, pid|
      [sample(pid, 300, mb), sample(pid, 310, mb + 2)]
    end
    after = [140, 150].each_with_index.map { |mb, pid| sample(pid, 300, mb) }
    estimate = memory(before, after).estimate(Metric::ALL[:pss])
    assert_equal [106.0 * MB, 145.0 * MB], [estimate.before, estimate.after]
    assert_operator estimate.interval.begin, :<, 0.37
    assert_operator estimate.interval.end, :>, 0.37
  end

  def test_what_has_ended_has_no_memory
    memory = memory([sample(1, 300, 100).merge(ended: true)], [sample(2, 300, 100)])
    assert_nil memory.band
  end

  private

  def units(age_s, count, wall_ms: 28, weight: 1.0)
    since_ns = (ExampleUnits::START_S - age_s) * 1_000_000_000
    process = Holdup::UnitSample::SampledProcess.new(pid: 7, since_ns:)
    Array.new(count) do
      ExampleUnits.unit_sample(process:, weight:, running_ns: 0, cpu_ns: 0, stalled_ns: 0, gc_ns: 0,
        longest_hold_ns: 0, idle_ns: wall_ms * MS)
    end
  end

  def sample(pid, age_s, megabytes)
    {host: "a", pid:, since_s: 1000, at_s: 1000 + age_s, pss_bytes: megabytes * MB, uss_bytes: megabytes * MB}
  end

  def memory(before, after) = Ages::MemoryByAge.new(before, after)
end
