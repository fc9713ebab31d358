# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class HoldLengthsTest < Minitest::Test
  UNITS = 400
  NS_IN_US = 1_000
  SERIES = Holdup::Series.new(:request, "PagesController#home")
  SETTING = Holdup::Setting.new({"threads" => "5"})
  PROCESS = Holdup::UnitSample::SampledProcess.new(pid: 1, since_ns: 0)
  HoldLengths = Holdup::Advise::Sizing::Recording::HoldLengths

  # A window of which only these figures are read.
  CountedWindow = Data.define(:series, :count, :sums)

  def setup
    @random = Random.new(1)
  end

  def test_holds_of_random_lengths_have_no_moments
    assert_in_delta 0, moments { stick(2_000, 11) }, 1
  end

  def test_holds_for_a_moment_are_counted
    assert_in_delta 8, moments { stick(2_000, 3) + [0] * 8 }, 1
  end

  def test_keeps_units_of_which_no_squares_are_known
    units = Array.new(UNITS) { sample([100] * 11) }
    assert_equal units, HoldLengths.new([]).of(units)
  end

  def test_keeps_a_few_units
    holds = Array.new(HoldLengths::FEWEST - 1) { [1_000, 0, 0] }
    units = holds.map { |lengths| sample(lengths) }
    assert_equal units, HoldLengths.new([window(holds)]).of(units)
  end

  private

  # @yieldreturn [Array<Numeric>] us of the holds of a unit
  # @return [Float] mean number of moments that are found
  def moments(&)
    holds = Array.new(UNITS, &)
    units = HoldLengths.new([window(holds)]).of(holds.map { |lengths| sample(lengths) })
    units.sum(&:moments).fdiv(UNITS)
  end

  # @return [Array<Float>] lengths of a stick that is broken at random
  def stick(length, parts)
    cuts = Array.new(parts - 1) { @random.rand * length }.sort
    [0, *cuts, length].each_cons(2).map { |from, to| to - from }
  end

  def window(holds)
    squares = holds.sum { |lengths| lengths.sum { |us| us**2 } }.round
    CountedWindow.new(series: SERIES, count: holds.size, sums: {hold_squares_us2: squares})
  end

  def sample(lengths)
    running_ns = (lengths.sum * NS_IN_US).round
    Holdup::UnitSample.new(series: SERIES, setting: SETTING, host: "one", process: PROCESS, start_ns: 0,
      running_ns:, cpu_ns: running_ns, idle_ns: NS_IN_US, stalled_ns: 0, acquisitions: lengths.size - 1,
      longest_hold_ns: (lengths.max * NS_IN_US).round, gc_ns: 0, queued_ns: nil, in_flight_milli: 1_000,
      weight: 1.0)
  end
end
