# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class RateLimitedLogTest < Minitest::Test
    def setup
      @log = CollectedLog.new
      @clock = HandClock.new
      @complaints = RateLimitedLog.new(log: @log, clock: @clock)
    end

    def test_the_same_at_most_once_a_minute
      3.times { @complaints.again(:store, "locked") }
      @clock.monotonic_ns += RateLimitedLog::EVERY_NS
      2.times { @complaints.again(:store, "locked") }
      assert_equal %w[locked locked], @log.lines
    end

    def test_seldom_whatever_the_message
      %w[one two].each { |message| @complaints.seldom(:rows, message) }
      @clock.monotonic_ns += RateLimitedLog::EVERY_NS
      @complaints.seldom(:rows, "three")
      assert_equal %w[one three], @log.lines
    end

    def test_something_else_at_once
      %w[locked full].each { |message| @complaints.again(:store, message) }
      assert_equal %w[locked full], @log.lines
    end

    def test_once_until_it_is_forgotten
      2.times { @complaints.once(:file, "bad") }
      assert @complaints.forget(:file)
      refute @complaints.forget(:file)
      @complaints.once(:file, "bad")
      assert_equal %w[bad bad], @log.lines
    end
  end
end
