# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::Comparison::ProcessVarianceTest < Minitest::Test
  MS = 1_000_000

  # Processes whose units take so long on average, each unit as it happens.
  def unit_samples(means_ms, seed: 1, units: 400)
    random = Random.new(seed)
    means_ms.each_with_index.flat_map do |mean, pid|
      Array.new(units) do |index|
        running_ns = (-Math.log(1 - random.rand) * mean * MS).round(-3)
        ExampleUnits.unit_sample(index, running_ns:, cpu_ns: running_ns, idle_ns: 0, stalled_ns: 0,
          process: ExampleUnits::PROCESS.with(pid:))
      end
    end
  end

  def deviation(before, after, family = :wall)
    Math.sqrt(Holdup::Compare::Estimate::ProcessVariance.new(before, after).variance(family))
  end

  one_ruby def test_processes_that_differ_by_chance_alone_add_nothing
    same = Array.new(20) do |seed|
      deviation(unit_samples([20] * 6, seed:), unit_samples([20] * 6, seed: seed + 100))
    end
    assert_operator same.sum / same.size, :<, 0.02
  end

  def test_processes_that_differ_by_a_fifth_are_uncertain_by_that
    means = [16, 24, 17, 23, 18, 22]
    sides = [unit_samples(means), unit_samples(means, seed: 2)]
    assert_in_delta 0.17 * Math.sqrt(2 / 6.0), deviation(*sides), 0.03
    assert_in_delta 0.17 * Math.sqrt(2 / 6.0), deviation(*sides, :cpu),
      0.03
  end

  def test_one_process_is_as_uncertain_as_the_others_tell
    assert_operator deviation(unit_samples([16, 24, 17, 23, 18, 22]), unit_samples([20])), :>, 0.12
  end

  def test_an_unknown_variance_adds_nothing
    assert_equal [0.0, 0.0, 0.0],
      [deviation([], []), deviation(unit_samples([10]), unit_samples([30])),
        deviation(unit_samples([10, 20, 30]), unit_samples([10, 20, 30]), :gc)]
  end
end
