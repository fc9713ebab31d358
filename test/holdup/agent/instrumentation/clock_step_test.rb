# frozen_string_literal: true

require "test_helper"
require "holdup/agent/instrumentation/clock_step"

class Holdup::Instrumentation::ClockStepTest < Minitest::Test
  S = 1_000_000_000
  MS = 1_000_000
  START = 1_700_000_000 * S

  def setup
    @step = Holdup::Instrumentation::ClockStep.new
    @random = Random.new(43)
  end

  # Times that a clock with this step shows, ten a second.
  def send_times(step_ns, count:, waited_ns: 0)
    Array.new(count) do |index|
      exact = START + index * S / 10 + @random.rand(S / 10)
      shown = exact - exact % step_ns
      @step.fine_enough?(shown, exact - shown + waited_ns)
    end
  end

  def test_finds_each_step
    coarse = [1000, 500, 250, 200, 100, 50, 25, 20, 10].to_h { |ms| [ms * MS, ms * MS] }
    found = {**coarse, 5 * MS => nil, MS => nil, 1_000 => nil, 1 => nil}
    found.each do |sent, step|
      @step = Holdup::Instrumentation::ClockStep.new
      send_times(sent, count: 300)
      step ? assert_equal(step, @step.step_ns) : assert_nil(@step.step_ns, "clock of #{sent} ns")
    end
  end

  def test_uses_no_wait_of_a_coarse_clock
    [S, 500 * MS, 250 * MS, 100 * MS, 25 * MS, 10 * MS].each do |sent|
      @step = Holdup::Instrumentation::ClockStep.new
      assert_equal [false], send_times(sent, count: 500).uniq, "clock of #{sent} ns"
      assert_predicate @step, :too_coarse?
    end
  end

  def test_uses_nearly_every_wait_of_a_clock_of_milliseconds
    assert_operator send_times(MS, count: 1_000).count(false), :<, 5
    refute_predicate @step, :too_coarse?
  end

  def test_uses_waits_that_are_ten_times_the_step
    used = send_times(S, count: 400, waited_ns: 20 * S)
    refute used.first, "one wait proves nothing"
    assert used.last, "the mean of 400 waits is 20 steps"
  end

  def test_notices_that_the_clock_became_coarse
    send_times(MS, count: 200)
    used = send_times(S, count: 200)
    assert used.first, "one whole second is chance"
    refute used.last
    assert_equal S, @step.step_ns
  end

  def test_notices_that_the_clock_became_fine
    send_times(S, count: 200)
    assert_operator send_times(MS, count: 20).count(true), :>=, 18
  end

  def test_seconds_as_floats_are_no_finer_than_their_clock
    300.times do |index|
      seconds = 1_700_000_000 + index * 0.1
      @step.fine_enough?((seconds * 1e9).to_i, 0)
    end
    assert_equal 100 * MS, @step.step_ns
  end

  def test_few_times_show_no_step
    send_times(S, count: 9)
    refute_predicate @step, :known?
    send_times(S, count: 1)
    assert_predicate @step, :known?
  end
end
