# frozen_string_literal: true

require "test_helper"
require "holdup/agent/stats_log"
require "json"

class Holdup::StatsLog::LogLineTest < Minitest::Test
  def setup
    @dir = Dir.mktmpdir
    @stats = StatsLines.new(@dir, worker: 1, every: 10)
    @segment = @stats.segment
  end

  def teardown
    FileUtils.remove_entry(@dir)
  end

  def boot
    @stats.after(0)
    @stats.lines.last
  end

  def test_who_it_is
    line = boot
    fingerprint = Holdup::Setting.parse(StatsLines::SETTING).fingerprint
    application = ["shop", "production", "abc", "3.4.5", fingerprint]
    assert_equal ["boot", "2023-11-14T22:13:20.000Z", *application, "puma", 1, 0, Process.pid],
      line.values_at("event", "at", "app", "environment", "revision", "ruby", "setting", "server", "worker",
        "generation", "pid")
    assert_nil line["units"]
    assert_operator line["rss_bytes"], :>, 1 << 20
  end

  def test_what_it_did_since_the_line_before
    boot
    @segment.record("Before#x", wall: 9_000_000_000, running: 9_000_000_000)
    @stats.after(20)
    99.times {
      @segment.record("A#b", wall: 20_000_000, running: 5_000_000, stalled: 3_000_000, idle: 12_000_000,
        queued: 1_000_000)
    }
    @segment.record("A#b", wall: 2_000_000_000, running: 500_000_000, stalled: 300_000_000,
      idle: 1_200_000_000, error: true)
    line = @stats.after(20)
    assert_equal [100, 5.0, 1, 20.0], line.values_at("units", "units_per_s", "errors", "interval_s")
    assert_equal [0.25, 0.15, 0.6], line.values_at("running_share", "stalled_share", "idle_share")
    assert_in_delta 20.0, line["wall_p50_ms"], 0.5
    assert_in_delta 3.0, line["stalled_p95_ms"], 0.1
    assert_in_delta 1.0, line["queued_p95_ms"], 0.1
  end

  def test_units_from_before_the_first_line_are_in_the_second
    3.times { @segment.record("A#b", wall: 1000) }
    boot
    assert_equal 3, @stats.after(20)["units"]
  end

  def test_jobs_and_the_overflow_are_units_and_nested_time_is_in_once
    boot
    @segment.record("A#b", wall: 100_000_000, running: 60_000_000, idle: 40_000_000)
    @segment.record("J", kind: :job, wall: 50_000_000, running: 50_000_000)
    @segment.nested(wall: 50_000_000, running: 50_000_000)
    @segment.account("main", running: 900_000_000)
    line = @stats.after(20)
    assert_equal [2, 0.6, 0.4], line.values_at("units", "running_share", "idle_share")
  end

  def test_an_idle_process_writes_lines
    boot
    line = @stats.after(20)
    assert_equal [0, 0.0], line.values_at("units", "units_per_s")
    refute line.key?("running_share")
    refute line.key?("wall_p95_ms")
  end

  def test_cpu_is_a_share_of_one_core
    @stats.gauge(cpu_ns: 5_000_000_000)
    boot
    @stats.gauge(cpu_ns: 9_000_000_000)
    assert_in_delta 0.2, @stats.after(20)["cpu_share"]
  end

  def test_no_number_is_in_scientific_notation
    boot
    1_000_000.then { |idle| @segment.record("A#b", wall: idle * 1000, running: 1, idle: idle * 1000 - 1) }
    @stats.after(3_000_000)
    refute_match(/\d[eE][+-]?\d/, @stats.sink.texts.last.sub(/"setting":"\h+"/, ""))
  end

  def test_a_name_of_a_million_series_does_not_make_a_line_longer
    boot
    40.times { |index| @segment.record("Controller#{index}##{"x" * 100}", wall: 1000) }
    @stats.gauge(**StatsLines::GAUGES)
    @stats.after(20)
    assert_operator @stats.sink.texts.map(&:bytesize).max, :<, 4096
  end
end
