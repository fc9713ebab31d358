# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/terminal_screen"

class Holdup::Top::CommandTest < Minitest::Test
  include CommandLine

  LEAVE = Holdup::Top::Terminal::LEAVE
  ENTER = Holdup::Top::Terminal::ENTER

  def setup
    @dir = Dir.mktmpdir
  end

  def teardown
    @lock&.close
    FileUtils.remove_entry(@dir)
  end

  # @return [SegmentWriter] of a process that lives
  def process(**options)
    SegmentWriter.new(@dir, worker: 0, **options).tap do |writer|
      writer.gauge(:busy_threads, 2)
      writer.gauge(:max_threads, 5)
    end
  end

  # A collector has the folder, until the test ends.
  def collected
    @lock = File.open(Holdup::Segment::Directory.new(@dir).lock_path, "w")
    @lock.flock(File::LOCK_EX)
  end

  # @yieldparam screen [TerminalScreen] with the first picture
  def top(*arguments, env: {}, size: [24, 80])
    host = {"HOLDUP_DIR" => @dir, "LANG" => "C.UTF-8", "HOLDUP_HOST" => "web-1", "NO_COLOR" => "1"}
    env = OWN_LOAD_PATH.merge(host, env)
    TerminalScreen.run(RbConfig.ruby, EXE, "top", *arguments, env:, size:) do |screen|
      shown(screen, /holdup top web-1|Holdup top/)
      yield screen
    end
  end

  def shown(screen, pattern)
    wait_until { screen.text.match?(pattern) || (flunk screen.written if ended?(screen)) }
  end

  def ended?(screen)
    stat = File.read("/proc/#{screen.pid}/stat")
    stat.rpartition(")").last.split.first == "Z"
  rescue Errno::ENOENT
    true
  end

  # Records requests until the screen shows something.
  def shown_while(screen, pattern, writer)
    wait_until do
      writer.record("OrdersController#index", wall: 20_000_000, stalled: 5_000_000, queued: 1_000_000)
      screen.text.match?(pattern)
    end
  end

  def test_what_happens_appears_by_itself_and_keys_change_the_table
    writer = process
    top do |screen|
      shown(screen, %r{worker 0 +2/5})
      assert_equal 24, screen.lines.size
      screen.press("2")
      shown_while(screen, /OrdersController#index.* 5.00 ms +5.00 ms +1.00 ms/, writer)
      screen.press("/zzz")
      shown(screen, /filter: zzz_/)
      refute_includes screen.text, "OrdersController"
      screen.press("q\eq")
      assert_equal 0, screen.wait.exitstatus
    end
  end

  def test_a_pause_lets_the_picture_stand
    writer = process
    top do |screen|
      screen.press("p2")
      shown(screen, /PAUSED/)
      clock = screen.lines.first
      writer.record("Later#x", wall: 1_000_000)
      sleep_until_a_second_look(screen)
      assert_equal clock, screen.lines.first
      screen.press("p")
      shown(screen, /Later#x/)
    end
  end

  def test_japanese_and_a_resize
    process
    top("--lang", "ja", size: [24, 80]) do |screen|
      shown(screen, /プロセス 1 個/)
      screen.resize(40, 120)
      shown(screen, /滞留/)
      wait_until { screen.lines.size == 40 }
      assert_operator screen.lines.map { |line| Holdup::View::Width.of(line) }.max, :<=, 120
    end
  end

  def test_leaves_the_terminal_as_it_was
    process
    top do |screen|
      refute_equal screen.modes_before, screen.modes if screen.text.include?("worker")
      screen.press("q")
      assert_predicate screen.wait, :success?
      assert_left(screen)
    end
  end

  def test_leaves_it_as_it_was_after_ctrl_c
    process
    top do |screen|
      screen.press("\x03")
      assert_predicate screen.wait, :success?
      assert_left(screen)
    end
  end

  def test_leaves_it_as_it_was_after_signals
    process
    {TERM: 143, HUP: 129, INT: 130}.each do |signal, status|
      top do |screen|
        Process.kill(signal, screen.pid)
        assert_equal status, screen.wait.exitstatus
        assert_left(screen)
      end
    end
  end

  def test_leaves_it_as_it_was_after_an_exception
    process
    script = "module Holdup; module Top; class ScreenFrame; def screen(*) = raise(\"boom\"); end; end; end"
    file = File.join(@dir, "broken.rb")
    File.write(file, "require \"holdup/loader\"\nHoldup::Top::ScreenFrame\n#{script}\n")
    env = {"HOLDUP_DIR" => @dir, "LANG" => "C.UTF-8"}
    lib = File.expand_path("../../../../lib", __dir__)
    TerminalScreen.run(RbConfig.ruby, "-W0", "-I", lib, "-r", file, EXE, "top", env:) do |screen|
      assert_equal 1, screen.wait.exitstatus
      assert_left(screen, /boom \(RuntimeError\)/)
    end
  end

  def test_starts_before_anything_measures
    top do |screen|
      shown(screen, /No process measures here now/)
      process
      shown(screen, /worker 0/)
      refute_includes screen.text, "No process"
    end
  end

  def test_a_key_asks_the_process_for_a_capture
    writer = process
    collected
    top do |screen|
      shown(screen, /worker 0/)
      screen.press("c")
      shown(screen, /capturing worker 0 \(pid #{Process.pid}\) for 10 s/)
      request = File.binread(writer.path, 8, Holdup::Segment::Layout::CAPTURE_REQUEST).unpack1("Q<")
      assert_operator request, :>, 0
    end
  end

  def test_a_key_says_what_keeps_the_capture
    process
    top do |screen|
      shown(screen, /worker 0/)
      screen.press("c")
      shown(screen, /capturing worker 0/)
      assert_match(/no collector: `holdup collect --once` keeps it/, screen.text)
    end
  end

  def test_a_pipe_gets_one_picture
    writer = process
    writer.record("OrdersController#index", wall: 20_000_000, stalled: 5_000_000)
    said = holdup_process("top", "--dir", @dir, "--seconds", "1")
    assert_equal [0, ""], [said.status, said.err]
    assert_match(%r{worker 0 .* 2/5}, said.out)
    assert_includes said.out, "OrdersController#index"
    refute_includes said.out, "\e"
  end

  def test_a_pipe_where_nothing_measures
    said = holdup("top", "--dir", File.join(@dir, "none"))
    assert_equal 1, said.status
    assert_match(/no process measures in .*none; `holdup doctor` says why/, said.err)
  end

  def test_refuses_other_times
    assert_equal 2, holdup("top", "--seconds", "0").status
  end

  private

  # @param rest [Regexp] of what comes after the last picture
  def assert_left(screen, rest = /\A\z/)
    _, after = screen.written.split(LEAVE, 2)
    assert screen.written.include?(ENTER), screen.written
    assert_match rest, after
    assert_equal screen.modes_before, screen.modes
  end

  # A picture is drawn again only when it changed, so time has to be looked at.
  def sleep_until_a_second_look(screen)
    before = cpu(screen)
    wait_until { cpu(screen) > before }
  end

  def cpu(screen)
    File.read("/proc/#{screen.pid}/stat").rpartition(")").last.split.values_at(11, 12).sum(&:to_i)
  end
end
