# frozen_string_literal: true

require "test_helper"
require_relative "../../../benchmark/support/coverage/plan"
require_relative "../../../benchmark/support/coverage/trial"

module Holdup::Advise::Sizing
  # A small part of `bin/bench coverage`: intervals of 90 % contain what was planted in at least 85 % of the
  # recordings. With other draws a right model fails once in a hundred times.
  class IntervalCoverageTest < Minitest::Test
    COVERED = 0.85
    RISK = 0.01
    # Growths, and hand-offs of any length and by the number of waiting threads.
    COSTS = [
      [0.0, 0], [0.0, 200_000], [0.1, 70_000], [0.2, [20_000, 60_000, 120_000, 200_000]], [0.3, 20_000],
      [0.3, [200_000, 120_000, 60_000, 20_000]]
    ].freeze

    one_ruby def test_growth
      found = trials(rounds: 2, advised: 0, units: [1500]).map(&:growth)
      assert_covered found
    end

    # Where the self-test trusts the model.
    nightly def test_gain_of_an_advice
      found = trials(rounds: 2, advised: 2, units: [2500], arrivals: [:closed]).filter_map(&:gain)
      assert_operator found.size, :>=, 6
      assert_covered found
    end

    # A ramp that is rightly taken: its busiest minutes differ from their replay by chance, though by more
    # than nine of ten replays do.
    one_ruby def test_chance_does_not_contradict_the_busiest_minutes
      planted = Bench::Coverage::Planted.new(arrivals: :closed, growth: 0.0, handoff_ns: 0, load: 0.85,
        units: 800, processes: 2)
      drawn = Bench::Coverage::Plan::Drawn.new(planted:, seed: 1000, advice: true, gain: false)
      found = Bench::Coverage::Trial.new(drawn, truth: Bench::Coverage::Truth.new(planted)).call
      refute_equal :c, found.grade
    end

    one_ruby def test_the_true_gain_is_that_of_the_recorded_setting
      planted = Bench::Coverage::Planted.new(arrivals: :open, growth: 0.0, handoff_ns: 0, load: 0.85,
        units: 300, processes: 1)
      truth = Bench::Coverage::Truth.new(planted, units: 500)
      other = planted.now.with(processes: 2, threads: 3)
      one, two = [1, 2].map { |processes| truth.gain(planted.with(processes:), other) }
      refute_equal one, two
      assert_equal one, truth.gain(planted, other)
    end

    private

    def trials(**options)
      Bench::Coverage::Plan.new(cells: COSTS, **options).groups.flat_map do |group|
        truth = Bench::Coverage::Truth.new(group.first.planted, units: 5000)
        group.map { |drawn| Bench::Coverage::Trial.new(drawn, truth:, rounds: 10, units: 1000).call }
      end
    end

    def assert_covered(intervals)
      assert_operator intervals.count(&:covers?), :>=, fewest(intervals.size),
        intervals.reject(&:covers?).map(&:to_h).inspect
    end

    # The binomial distribution's number below which a coverage of COVERED comes with RISK at the most.
    def fewest(trials)
      likely = 0.0
      (0..trials).find do |hits|
        ways = (1..hits).inject(1.0) { |product, at| product * (trials - hits + at) / at }
        (likely += ways * COVERED**hits * (1 - COVERED)**(trials - hits)) > RISK
      end
    end
  end
end
