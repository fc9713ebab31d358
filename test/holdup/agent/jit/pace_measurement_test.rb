# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"

class Holdup::Jit::PaceMeasurementTest < Minitest::Test
  # Each try takes the next of these, in nanoseconds.
  def pace(*spans)
    now_ns = 0
    ticks = spans.flat_map { |span| [0, span] }
    Holdup::Jit::PaceMeasurement.new(cpu: -> { now_ns += ticks.shift })
  end

  def test_the_shortest_of_each_counts_and_the_interpreter_is_asked_once
    first = [[50, 100], [10, 40], [90, 500], [20, 50], [30, 60]].flatten
    pace = pace(*first, 80, 80, 20, 80, 80)
    assert_in_delta 0.25, pace.ratio
    assert_in_delta 0.5, pace.ratio
  end

  def test_a_clock_that_stands_still
    assert_in_delta 0.0, Holdup::Jit::PaceMeasurement.new(cpu: -> { 0 }).ratio
  end
end
