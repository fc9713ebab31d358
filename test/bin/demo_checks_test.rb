# frozen_string_literal: true

require "test_helper"
require_relative "../../bin/support/demo/checks"

# What bin/demo calls false: what differs from the shop's own count, and nothing else.
class DemoChecksTest < Minitest::Test
  one_ruby

  PARTS = Demo::Checks::PARTS.to_h { |part| [part, 10] }

  def series(name, count, errors, wall_ns: 100)
    {name:, count:, errors:, stalled_ns: {sum: 40}, wall_ns: {sum: wall_ns}, **PARTS.transform_keys(&:to_sym)}
  end

  def report(*series, caused_ns: 30)
    JSON.generate(series:, totals: {stalled_ns: {sum: 40}, caused_ns:, handoff_ns: 10, accounts: []})
  end

  def counted(count, errors) = Demo::ShopLedger::EndpointCount.new(count:, errors:)

  def test_all_is_true_where_the_report_has_what_the_shop_counted
    checks = Demo::Checks.new(report(series("A#b", 20, 2)), {"A#b" => counted(20, 2)})
    assert_empty checks.failures
  end

  def test_a_request_that_is_missing_is_false
    checks = Demo::Checks.new(report(series("A#b", 19, 2)), {"A#b" => counted(20, 2)})
    assert_equal ["A#b: the shop counted 20 requests, the report has 19"], checks.failures
  end

  def test_a_request_that_is_counted_twice_is_false
    checks = Demo::Checks.new(report(series("A#b", 21, 2)), {"A#b" => counted(20, 2)})
    assert_equal ["A#b: the shop counted 20 requests, the report has 21"], checks.failures
  end

  def test_an_error_that_is_missing_is_false
    checks = Demo::Checks.new(report(series("A#b", 20, 0)), {"A#b" => counted(20, 2)})
    assert_equal ["A#b: the shop counted 2 errors, the report has 0"], checks.failures
  end

  def test_an_endpoint_that_is_missing_is_false
    checks = Demo::Checks.new(report, {"A#b" => counted(3, 0)})
    assert_equal ["A#b: the shop counted 3 requests, the report has 0"], checks.failures
  end

  def test_a_stall_without_a_cause_is_false
    checks = Demo::Checks.new(report(caused_ns: 29), {})
    assert_equal ["caused + hand-off is 39 ns, but the GVL wait is 40 ns"], checks.failures
  end

  def test_states_that_do_not_add_up_are_false
    checks = Demo::Checks.new(report(series("A#b", 1, 0, wall_ns: 104)), {})
    assert_equal ["A#b: its parts are 100 ns, its elapsed time is 104 ns"], checks.failures
  end
end
