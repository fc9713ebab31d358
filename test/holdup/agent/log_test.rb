# frozen_string_literal: true

require "test_helper"
require "holdup/agent/log"
require "logger"
require "stringio"

class Holdup::LogTest < Minitest::Test
  def test_writes_a_line_to_an_io
    io = StringIO.new
    Holdup::Log.new { io }.warn("something")
    assert_equal "holdup: something\n", io.string
  end

  def test_warns_through_a_logger
    io = StringIO.new
    Holdup::Log.new { Logger.new(io) }.warn("something")
    assert_match(/WARN.*holdup: something/, io.string)
  end

  def test_informs_through_a_logger
    io = StringIO.new
    Holdup::Log.new { Logger.new(io) }.info("something")
    assert_match(/INFO.*holdup: something/, io.string)
  end

  def test_informs_a_target_that_only_has_warn
    lines = []
    target = Object.new
    target.define_singleton_method(:warn) { |line| lines << line }
    Holdup::Log.new { target }.info("something")
    assert_equal ["holdup: something"], lines
  end

  def test_a_closed_stream_does_not_raise
    assert_nil Holdup::Log.new { StringIO.new.tap(&:close) }.warn("something")
  end

  def test_without_a_target_logs_nothing
    assert_nil Holdup::Log.new {}.warn("something")
  end

  def test_takes_the_target_of_the_moment
    target = CollectedLog.new
    log = Holdup::Log.new { target }
    log.warn("one")
    target = CollectedLog.new
    log.warn("two")
    assert_equal ["holdup: two"], target.lines
  end
end
