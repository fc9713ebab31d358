# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "support/terminal_screen"

class Holdup::Ps::CommandTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  def ps(...) = holdup("ps", "--dir", folder, ...)

  def test_says_what_to_type_where_no_process_measures
    said = ps
    assert_equal 1, said.status
    assert_match(/no process measures in #{Regexp.escape(folder)}; `holdup doctor` says why; --dir/, said.err)
  end

  def test_says_so_where_nothing_runs
    SegmentWriter.new(folder)
    said = ps
    assert_equal 0, said.status
    assert_equal "No request or job runs now in 1 process.", said.out.lines(chomp: true).last
  end

  def test_lists_what_runs
    writer = SegmentWriter.new(folder)
    now_ns = 1_790_000_000_000_000_000
    writer.open_unit(0, "A#x", started_ns: now_ns - 3_000_000_000, thread: 5)
    writer.open_unit(1, "B#x", started_ns: now_ns - 9_000_000_000, thread: 6)
    assert_equal %w[B#x A#x], ps.out.scan(/^(\S+#x) /).flatten
    assert_equal %w[B#x], ps("--longer", "5s").out.scan(/^(\S+#x) /).flatten
  end

  def test_says_of_which_host_and_when_it_is
    SegmentWriter.new(folder)
    assert_match(/^\S+ \d\d:\d\d:\d\d$/, ps.out.lines[1])
  end

  def test_for_programs
    SegmentWriter.new(folder)
    printed = JSON.parse(ps("--json").out)
    assert_equal [Process.pid], printed["processes"].map { |process| process["pid"] }
    assert_empty printed["running"]
  end

  def test_in_japanese
    SegmentWriter.new(folder)
    assert_match(/実行中の処理/, ps("--lang", "ja").out)
  end

  def test_watching_needs_a_terminal
    said = ps("--watch")
    assert_equal 2, said.status
    assert_match(/--watch needs a terminal; leave it out to print once/, said.err)
    assert_match(/can't be combined/, ps("--watch", "--json").err)
  end

  def test_refuses_what_is_no_time
    assert_equal 2, ps("--longer", "soon").status
  end

  # The picture appears before anything measures, changes by itself, and a key ends it.
  def test_watches_in_a_terminal
    env = OWN_LOAD_PATH.merge("HOLDUP_DIR" => folder, "LANG" => "C.UTF-8", "NO_COLOR" => "1")
    TerminalScreen.run(RbConfig.ruby, EXE, "ps", "--watch", env:, size: [24, 80]) do |screen|
      wait_until { screen.text.include?("No request or job runs now in 0 processes.") }
      SegmentWriter.new(folder)
      wait_until { screen.text.include?("No request or job runs now in 1 process.") }
      screen.press("q")
      assert_predicate screen.wait, :success?
    end
  end
end
