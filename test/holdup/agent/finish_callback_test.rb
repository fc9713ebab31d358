# frozen_string_literal: true

require "test_helper"
require "holdup/agent/finish_callback"

class Holdup::FinishCallbackTest < Minitest::Test
  Taken = Struct.new(:elapsed_ns)

  def setup
    @log = CollectedLog.new
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
  end

  def test_passes_the_figures_on
    got = []
    figures = Taken.new(5)
    Holdup::FinishCallback.new(->(given) { got << given }, @guard).call(figures)
    assert_equal [figures], got
  end

  def test_an_exception_is_logged_once_and_counted
    callback = Holdup::FinishCallback.new(->(_) { raise "theirs" }, @guard)
    2.times { assert_nil callback.call(Taken.new(5)) }
    assert_equal({on_finish: 2}, @guard.failures)
    assert_equal 1, @log.lines.grep(/on_finish failed, the application is not affected: theirs/).size
  end
end
