# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"

class Holdup::GuardTest < Minitest::Test
  def setup
    @log = CollectedLog.new
    @clock = HandClock.new
    @reported = 0
    @guard = Holdup::Guard.new(log: @log, clock: @clock, on_failure: -> { @reported += 1 })
  end

  def test_gives_the_blocks_value
    assert_equal 7, @guard.call(:here) { 7 }
    assert_empty @log.lines
  end

  def test_a_failure_gives_nil_is_counted_and_logged
    assert_nil @guard.call(:here) { raise "oh" }
    assert_equal({here: 1}, @guard.failures)
    assert_equal 1, @reported
    assert_match(/here failed, the application is not affected: oh \(RuntimeError at /, @log.lines.first)
  end

  def test_says_once_of_each_method_why_it_is_measured_by_notifications
    2.times { @guard.notified_instead("Store#instrument", "its class is frozen") }
    assert_equal({"Store#instrument" => "its class is frozen"}, @guard.notified)
    assert_equal ["does not hook Store#instrument, and measures it by notifications, which cost more: " \
      "its class is frozen"], @log.lines
    assert_empty @guard.unhooked
  end

  def test_says_once_of_each_method_why_it_is_not_hooked
    3.times { @guard.not_hooked("Net::HTTP#request", "its class is frozen") }
    @guard.not_hooked("Process._fork", "there is no such method")
    assert_equal({"Net::HTTP#request" => "its class is frozen", "Process._fork" => "there is no such method"},
      @guard.unhooked)
    assert_equal ["does not hook Net::HTTP#request, so nothing is measured there: its class is frozen",
      "does not hook Process._fork, so nothing is measured there: there is no such method"], @log.lines
    assert_empty @guard.failures
  end

  def test_says_it_once_a_minute_for_each_place
    3.times { @guard.call(:here) { raise "oh" } }
    @guard.call(:there) { raise "oh" }
    assert_equal 2, @log.lines.size
    @clock.monotonic_ns += 60_000_000_000
    @guard.call(:here) { raise "oh" }
    assert_equal 3, @log.lines.size
    assert_equal({here: 4, there: 1}, @guard.failures)
  end

  def test_a_file_that_is_missing_is_a_failure_too
    assert_nil @guard.call(:here) { require "holdup/nowhere" }
    assert_equal 1, @guard.failures[:here]
  end

  def test_a_message_of_any_bytes_and_a_log_that_fails_stay_ours
    error = RuntimeError.new("\xFF\xE3".b)
    error.set_backtrace(["/日本/app.rb:1"])
    assert_nil @guard.call(:here) { raise error }
    assert_match(%r{here failed.*\?\? \(RuntimeError at /日本}, @log.lines.first)
    @log.define_singleton_method(:warn) { |_| raise IOError, "closed stream" }
    assert_nil @guard.call(:there) { raise "oh" }
    assert_equal 2, @reported
  end

  def test_an_interruption_goes_on_to_the_application
    interruption = RuntimeError.new("time is up")
    guard = Holdup::Guard.new(log: @log, clock: @clock, interruption: interruption.method(:equal?))
    assert_same interruption, assert_raises(RuntimeError) { guard.call(:here) { raise interruption } }
    assert_nil guard.call(:here) { raise "oh" }
    assert_equal({here: 1}, guard.failures)
  end

  def test_leaves_exits_and_throws_alone
    assert_raises(SystemExit) { @guard.call(:here) { exit } }
    assert_equal(:caught, catch(:out) { @guard.call(:here) { throw :out, :caught } })
    assert_empty @guard.failures
  end

  def test_an_error_without_a_backtrace_or_of_endless_length
    error = RuntimeError.new("x" * 100_000)
    error.set_backtrace([])
    @guard.call(:here) { raise error, error.message, [] }
    assert_operator @log.lines.first.size, :<, 700
  end
end
