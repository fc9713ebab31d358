# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Jobs
  class JobsResultTest < Minitest::Test
    # @param steps [Integer, nil] that were done; nil: all
    def result(concurrency: [1, 5, 20], rounds: 1, steps: nil, signal: nil, **played)
      plan = PlayedJobs.plan(concurrency, rounds:)
      JobsResult.new(PlayedJobs.new(**played).ledger(plan, **{steps:}.compact), signal:)
    end

    def quiet = PlayedJobs.quiet

    # 5 ms held and 18 idle: saturated at 20.
    def test_predicts_what_the_same_jobs_do_with_other_threads
      assert_equal [1, 5, 20], quiet.lines.map(&:threads)
      quiet.lines.each { |line| assert_in_delta 0, line.error, 0.05, line.threads }
      assert_operator quiet.worst(:amdahl), :>, quiet.worst
      assert_operator quiet.worst(:closed), :<, 0.08
      assert_in_delta 1, quiet.lines.last.median(&:gvl_share), 0.05
    end

    def test_what_chance_alone_makes_of_the_same
      first, again = [quiet.base, quiet.again].map { |line| line.readings.map(&:throughput) }
      assert_in_delta first.zip(again).map { |one, other| (other / one - 1).abs }.max, quiet.noise
      assert_nil result(steps: 1).noise
      refute_includes quiet.lines, quiet.again
    end

    def test_errors_are_taken_round_by_round
      assert_equal [2, 2, 2], quiet.lines.map { |line| line.errors.values.size }
      assert_equal [2, 0], [quiet.round_count, quiet.left]
      late = result(truth: 1.5)
      assert_operator late.lines.last.error, :>, 0.3
      assert_in_delta 0, late.base.error, 0.05
    end

    def test_the_fewest_threads_that_are_enough
      assert_equal 20, quiet.enough.threads
      assert_equal 5, result(concurrency: [1, 5, 6]).enough.threads
    end
  end
end
