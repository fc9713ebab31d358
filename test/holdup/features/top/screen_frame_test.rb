# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/monitored_host"

class Holdup::Top::ScreenFrameTest < Minitest::Test
  Top = Holdup::Top
  NAME = "Admin::ReportsController#monthly_sales_of_all_shops"

  # @yieldparam frame [Proc] language, keys pressed before -> Holdup::Top::ScreenFrame
  def measured(processes: 1)
    MonitoredHost.open do |host|
      writers = [Process.pid, 1].first(processes).each_with_index.map { |pid, index|
        host.process(worker: index, pid:)
      }
      writers.each { |one| describe(one) }
      10.times do
        host.look
        writers.each { |one| serve(one) }
        host.pass(1)
      end
      tables = Top::LiveTables.new(host.look)
      yield ->(language = "en", keys = []) { frame(tables, language, keys) }
    end
  end

  def serve(process)
    process.record(NAME, wall: 90_000_000, stalled: 40_000_000, queued: 8_000_000, caused_ns: 9)
  end

  def describe(process)
    process.profile = {"server" => "puma", "pool.0" => "web"}
    process.pools = [[5, 3, 2, 40_000_000]]
    gauges = {busy_threads: 3, max_threads: 5, waiting_threads: 2, jit_enabled: 1, jit_code_bytes: 12_345_678}
    gauges.each { |gauge, value| process.gauge(gauge, value) }
  end

  def frame(tables, language, keys)
    state = Top::ScreenState.new
    keys.each { |key| state.press(key, state.rows(tables)) }
    words = Holdup::View::Words.new(language)
    Top::ScreenFrame.new(tables, state, title: "holdup top web-1 12:00:00", words:)
  end

  def width(line) = Holdup::View::Width.of(line)

  def test_every_table_fits_every_size_in_both_languages
    measured do |frame|
      %w[en ja].product(%w[1 2 3 ?], [[24, 80], [8, 40], [50, 132], [40, 200]]).each do |language, key, size|
        lines = frame.call(language, [key]).screen(*size)
        assert_equal size.first, lines.size
        too_long = lines.select { |line| width(line) > size.last }
        assert_empty too_long if size.last >= 80
      end
    end
  end

  def test_processes_at_80_columns
    measured do |frame|
      lines = frame.call.screen(24, 80)
      assert_equal "holdup top web-1 12:00:00", lines[0]
      assert_equal "1 process, 3 of 5 threads busy, 2 wait for the GVL", lines[1]
      assert_equal "1.00 per s  GVL wait 40.0 ms (44.4 %)  queue 8.00 ms  GVL held 0 %  GC 0 %", lines[2]
      assert_match(/\AMade others wait most: Admin.+ 100 %\z/, lines[3])
      assert_match(/\A  process +busy +wait +per s +held +GVL wait +GC +trend +caused by/, lines[4])
      assert_match(/\A  worker 0 +3\/5 +2 +1.00 +0 % +0.00 +0 % .* Admin.*….* 100 %\z/, lines[5])
    end
  end

  def test_requests_with_ten_seconds_and_a_minute
    measured do |frame|
      heading, row = frame.call("en", ["2"]).screen(24, 80)[4, 2]
      assert_match(/request or job +per s +wait 10s +wait 1m +queue 10s +queue 1m +trend/, heading)
      assert_match(/Admin::.+….+ +1.00 +40.0 ms +40.0 ms +8.00 ms +8.00 ms /, row)
    end
  end

  def test_a_wide_terminal_shows_more
    measured do |frame|
      lines = frame.call("en", ["2"]).screen(24, 160)
      assert_match(/ time .* caused /, lines[4])
      assert_includes lines[5], NAME
      heading, row = frame.call.screen(24, 160)[4, 2]
      assert_match(/ PID .*server.* JIT /, heading)
      assert_match(/ puma .* 12.3 MB /, row)
    end
  end

  def test_japanese
    measured do |frame|
      lines = frame.call("ja").screen(24, 80)
      assert_equal "プロセス 1 個、スレッド 5 本中 3 本が使用中、GVL 待ち 2 本", lines[1]
      assert_match(/プロセス +使用中 +待ち +毎秒 +保持 +GVL 待ち +GC +推移 +主な原因/, lines[4])
    end
  end

  def test_the_chosen_row_is_marked_and_scrolled_into_view
    measured(processes: 2) do |frame|
      lines = frame.call("en", [:down, :down]).screen(24, 80)
      assert_match(/\A> worker 1/, lines[6])
      lines = frame.call("en", [:down, :down]).screen(8, 80)
      assert_match(/\A> worker 1/, lines[5])
    end
  end

  def test_sort_filter_and_pause_are_said
    measured do |frame|
      assert_equal "sorted by: GVL wait", frame.call.screen(24, 80)[-2]
      assert_equal "sorted by: process  filter: adm_  PAUSED (p goes on)",
        frame.call("en", ["p", "s", "s", "s", "s", "s", "/", "a", "d", "m"]).screen(24, 80)[-2]
      assert_match(/\A1-3 tables /, frame.call.screen(24, 80)[-1])
    end
  end

  def test_a_filter_hides_rows
    measured do |frame|
      assert_equal "", frame.call("en", ["/", "z"]).screen(24, 80)[5]
    end
  end

  def test_help_explains_keys_and_columns
    measured do |frame|
      help = frame.call("en", ["?"]).screen(40, 80).join(" ")
      assert_match(/c: capture every GVL event/, help)
      assert_match(/`holdup ps` shows which requests and jobs run now/, help)
    end
  end

  def test_a_pipe_gets_every_table
    measured do |frame|
      lines = frame.call.plain(120)
      assert_equal 3, lines.count("")
      assert_includes lines.join("\n"), "web"
      refute(lines.any? { |line| line.end_with?(" ") || line.include?("\e") })
    end
  end

  def test_nothing_is_measured
    lines = frame(Top::LiveTables.new([]), "en", []).screen(24, 80)
    assert_match(/\ANo process measures here now/, lines[1])
    assert_equal 24, lines.size
  end

  # Names come from requests.
  def test_names_can_not_move_the_cursor
    MonitoredHost.open do |host|
      process = host.process
      host.look
      process.record("A\e[2J#x", wall: 1_000_000)
      host.pass(1)
      lines = frame(Top::LiveTables.new(host.look), "en", ["2"]).screen(24, 80)
      assert_includes lines.join, "A?[2J#x"
      refute_includes lines.join, "\e"
    end
  end
end
