# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Trial::WarmUpTest < Minitest::Test
  WarmUp = Holdup::Lab::Trial::WarmUp

  def warm_up(cpu_ns, compiled: [], longest_s: 100)
    WarmUp.new(slice_s: 2, longest_s:).call { |slices|
      WarmUp::Slice.new(
        cpu_ns: cpu_ns.fetch(slices),
        compiled: compiled[slices]
      )
    }
  end

  def test_ends_when_a_request_takes_no_less_cpu_any_more
    result = warm_up([90.0, 60.0, 40.0, 39.0, 39.5, 1.0])
    assert_predicate result, :steady
    assert_equal [10, [90.0, 60.0, 40.0, 39.0, 39.5]], [result.seconds, result.cpu_ns]
    assert_in_delta 90 / 39.5 - 1, result.cold
    assert_in_delta 4, result.warm_after_s
  end

  def test_one_calm_slice_may_be_chance
    assert_equal [90.0, 91.0, 60.0, 60.0, 60.0], warm_up([90.0, 91.0, 60.0, 60.0, 60.0, 60.0]).cpu_ns
  end

  def test_goes_on_while_more_is_compiled_though_a_request_takes_no_less
    assert_equal 10, warm_up([50.0] * 9, compiled: [100, 200, 300, 301, 302]).seconds
    assert_equal 8, warm_up([50.0] * 9, compiled: [100, 200, nil]).seconds
    refute_predicate warm_up([50.0] * 9, compiled: (1..9).map { |slice| slice * 100 }, longest_s: 18), :steady
  end

  def test_says_when_it_was_not_steady_in_time
    result = warm_up([90.0, 80.0, 70.0, 60.0, 50.0], longest_s: 8)
    refute_predicate result, :steady
    assert_equal 8, result.seconds
  end

  def test_a_slice_has_requests_enough
    assert_equal [10.0, 5.0, 2.0], [1, 20, 1000].map { |rate| WarmUp.slice_s(rate) }
    assert_equal 1, WarmUp.slice_s(1000, longest_s: 1)
  end
end
