# frozen_string_literal: true

require "test_helper"
require "holdup/agent/stats_log"
require "io/nonblock"
require "logger"
require "socket"
require "stringio"
require "timeout"

class Holdup::StatsLog::SinksTest < Minitest::Test
  # Loads neither the probe nor the helpers.
  LIB_ONLY = "$LOAD_PATH.unshift(#{File.expand_path("../../../../lib", __dir__).dump})\n"

  Sinks = Holdup::StatsLog::Sinks
  LINE = "#{"x" * 2000}\n".freeze

  def setup
    @dir = Dir.mktmpdir
  end

  def teardown
    FileUtils.remove_entry(@dir)
  end

  def path(name = "stats.log") = File.join(@dir, name)

  # Writes until there is no room, which has to be soon.
  def fill(sink)
    Timeout.timeout(30) { 1.step.find { !sink.call(LINE) } }
  end

  def test_a_file_that_may_be_moved_away_at_any_time
    sink = Sinks.for(path)
    assert_equal [true, true], [sink.call("a\n"), sink.call("b\n")]
    File.rename(path, path("old"))
    sink.call("c\n")
    assert_equal ["a\nb\n", "c\n", 0o640 & ~File.umask],
      [File.read(path("old")), File.read(path), File.stat(path).mode & 0o777]
  end

  def test_lines_of_several_processes_stay_whole
    pids = %w[a b c].map do |letter|
      fork { 100.times { Sinks.for(path).call("#{letter * 1000}\n") } && exit!(0) }
    end
    pids.each { |pid| Process.wait(pid) }
    assert_equal 300, File.foreach(path).count { |line| line.match?(/\A(a{1000}|b{1000}|c{1000})\n\z/) }
  end

  def test_a_folder_that_is_not_there_and_one_that_is_a_file
    assert_raises(Errno::ENOENT) { Sinks.for(path("none/x")).call(LINE) }
    assert_raises(Errno::EISDIR) { Sinks.for(@dir).call(LINE) }
  end

  def test_drops_lines_for_a_named_pipe_without_a_reader
    File.mkfifo(path)
    assert_raises(Errno::ENXIO) { Sinks.for(path).call(LINE) }
    File.open(path, File::RDONLY | File::NONBLOCK) { assert_operator fill(Sinks.for(path)), :>, 10 }
  end

  def test_a_full_pipe_does_not_block_and_stays_as_it_was_for_others
    IO.pipe do |reader, writer|
      writer.nonblock = false
      assert_operator fill(Sinks.for(writer)), :>, 10
      refute_predicate writer, :nonblock?
      reader.read_nonblock(1 << 20)
      assert Sinks.for(writer).call(LINE)
      assert_equal LINE, reader.readline
    end
  end

  def test_a_pipe_without_a_reader
    IO.pipe do |reader, writer|
      reader.close
      assert_raises(Errno::EPIPE) { Sinks.for(writer).call(LINE) }
    end
  end

  def test_a_socket
    UNIXSocket.pair do |one, other|
      sink = Sinks.for(one)
      assert sink.call(LINE)
      assert_equal LINE, other.readline
      assert_operator fill(sink), :>, 10
    end
  end

  def test_where_streams_can_not_be_opened_again
    IO.pipe do |reader, writer|
      sink = Sinks::Stream.new(writer, own: path("none"))
      assert sink.call(LINE)
      assert_equal LINE, reader.readline
      assert_operator fill(sink), :>, 10
    end
  end

  def test_an_open_file_and_a_closed_one
    File.open(path, "w") do |file|
      file.syswrite("first\n")
      assert Sinks.for(file).call(LINE)
      file.syswrite("last\n")
      assert_equal "first\n#{LINE}last\n", File.read(path)
      file.close
      assert_raises(IOError) { Sinks.for(file).call(LINE) }
    end
  end

  def test_the_standard_streams_are_the_process_s_own
    output = fresh_ruby(<<~RUBY, prelude: LIB_ONLY)
      require "holdup/agent/stats_log"
      require "stringio"
      $stdout = StringIO.new
      Holdup::StatsLog::Sinks.for(:stdout).call("to 1\n")
      Holdup::StatsLog::Sinks.for(:stderr).call("to 2\n")
    RUBY
    assert_equal "to 1\nto 2\n", output
  end

  def test_a_logger_and_anything_that_writes
    text = StringIO.new
    logger = Logger.new(text, formatter: ->(_, _, _, message) { "#{message}\n" })
    assert Sinks.for(logger).call("{}\n")
    assert Sinks.for(text).call("[]\n")
    assert_equal "{}\n[]\n", text.string
  end
end
