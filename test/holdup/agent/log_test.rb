# frozen_string_literal: true

require "test_helper"
require "holdup/agent/log"
require "logger"
require "pathname"
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

  # @return [String] what came to the standard error
  def errors_of(log)
    _, errors = capture_io { 2.times { |index| log.warn("line #{index}") } }
    errors
  end

  def test_appends_to_a_file_that_may_be_moved
    Dir.mktmpdir do |folder|
      path = File.join(folder, "holdup.log")
      log = Holdup::Log.new { path }
      assert_empty errors_of(log)
      File.rename(path, "#{path}.1")
      assert_empty errors_of(log)
      ["#{path}.1", path].each { |file| assert_equal "holdup: line 0\nholdup: line 1\n", File.read(file) }
      assert_equal 0o640, File.stat(path).mode & 0o777 | 0o040
      assert_empty errors_of(Holdup::Log.new { Pathname(path) })
      assert_equal 4, File.readlines(path).size
    end
  end

  def test_what_can_not_be_written_goes_to_the_standard_error_which_says_why_once
    Dir.mktmpdir do |folder|
      pipe = File.join(folder, "pipe")
      File.mkfifo(pipe)
      [folder, pipe, File.join(folder, "none/holdup.log"), "/dev/full", "/proc/holdup.log"].each do |path|
        lines = errors_of(Holdup::Log.new { path }).lines(chomp: true)
        complaint = /\Aholdup: the log #{path} can't be written \(.+\); its lines go to the standard error\z/
        assert_match(complaint, lines.first)
        assert_equal ["holdup: line 0", "holdup: line 1"], lines.drop(1), path
      end
    end
  end

  def test_a_pipe_whose_reader_sleeps_does_not_block
    Dir.mktmpdir do |folder|
      pipe = File.join(folder, "pipe")
      File.mkfifo(pipe)
      reader = File.open(pipe, File::RDONLY | File::NONBLOCK)
      log = Holdup::Log.new { pipe }
      assert_empty errors_of(log)
      assert_equal "holdup: line 0\nholdup: line 1\n", reader.readpartial(100)
      _, errors = capture_io { 40.times { log.warn("x" * 4000) } }
      assert_includes errors, "its lines go to the standard error"
    ensure
      reader&.close
    end
  end

  def test_the_names_of_the_standard_streams
    %w[/dev/stderr /dev/fd/2 /proc/self/fd/2].each do |path|
      assert_equal "holdup: line 0\nholdup: line 1\n", errors_of(Holdup::Log.new { path }), path
    end
    printed, = capture_io { Holdup::Log.new { "/dev/stdout" }.info("it") }
    assert_equal "holdup: it\n", printed
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
