# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class RateLimitedLogTest < Minitest::Test
    def setup
      @log = CollectedLog.new
      @clock = HandClock.new
      @warnings = RateLimitedLog.new(log: @log, clock: @clock)
    end

    def test_the_same_at_most_once_a_minute
      3.times { @warnings.again(:store, "locked") }
      @clock.monotonic_ns += RateLimitedLog::EVERY_NS
      2.times { @warnings.again(:store, "locked") }
      assert_equal %w[locked locked], @log.lines
    end

    def test_seldom_limits_messages_that_change_too
      %w[one two].each { |message| @warnings.seldom(:rows, message) }
      @clock.monotonic_ns += RateLimitedLog::EVERY_NS
      @warnings.seldom(:rows, "three")
      assert_equal %w[one three], @log.lines
    end

    def test_something_else_at_once
      %w[locked full].each { |message| @warnings.again(:store, message) }
      assert_equal %w[locked full], @log.lines
    end

    # A server that lacks memory says another figure each time.
    def test_what_is_the_same_to_a_reader_is_the_same
      3.times { |number| @warnings.again(:store, "would use #{number} MiB", same: :out_of_memory) }
      @warnings.again(:store, "is full", same: :full)
      assert_equal ["would use 0 MiB", "is full"], @log.lines
    end

    def test_two_that_alternate_each_at_most_once_a_minute
      3.times { %w[locked full].each { |message| @warnings.again(:store, message) } }
      assert_equal %w[locked full], @log.lines
    end

    def test_once_until_it_is_forgotten
      2.times { @warnings.once(:file, "bad") }
      assert @warnings.forget(:file)
      refute @warnings.forget(:file)
      @warnings.once(:file, "bad")
      assert_equal %w[bad bad], @log.lines
    end
  end
end
