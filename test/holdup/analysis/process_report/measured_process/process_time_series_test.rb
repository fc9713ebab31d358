# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::ProcessReport::ProcessTimeSeriesTest < Minitest::Test
  NS = 1_000_000_000
  FROM_S = 1_790_000_040

  def processes(samples, every_s: 60)
    Holdup::Analysis::ProcessReport.new(samples, from_s: FROM_S, to_s: FROM_S + 600, every_s:)
  end

  def sample(minute, pid: 1, second: 7, **facts)
    {at_s: FROM_S + minute * 60 + second, host: "web-1", pid:, start: 5, name: "worker #{pid}",
     server: "puma", **facts}
  end

  def test_counters_become_shares_from_sample_to_sample
    samples = [
      sample(0, cpu_ns: 0, gc_time_ns: 0, rss_bytes: 10),
      sample(1, cpu_ns: 30 * NS, gc_time_ns: 6 * NS, rss_bytes: 30),
      sample(2, cpu_ns: 30 * NS, gc_time_ns: 6 * NS, rss_bytes: 20)
    ]
    series = processes(samples).time_series
    line = series.lines.first
    assert_equal [FROM_S + 60, FROM_S + 120], series.at_s
    assert_equal [0.5, 0.0], line.values(:cpu_share, series.at_s)
    assert_equal [0.1, 0.0], line.values(:gc_share, series.at_s)
    assert_equal [30, 20], line.values(:rss_bytes, series.at_s)
  end

  def test_processes_sampled_in_different_seconds_share_steps_with_gaps
    early = [0, 1, 2, 4].map { |minute| sample(minute, cpu_ns: minute * 60 * NS) }
    late = [2, 3].map { |minute| sample(minute, pid: 2, second: 41, cpu_ns: 0) }
    series = processes(early + late).time_series
    assert_equal ["worker 1", "worker 2"], series.lines.map(&:name)
    assert_equal [[1.0, 1.0, nil, 1.0], [nil, nil, 0.0, nil]],
      series.lines.map { |line| line.values(:cpu_share, series.at_s) }
  end

  def test_one_sample_gives_no_line
    assert_empty processes([sample(0, cpu_ns: 0)]).time_series.lines
    assert_empty processes([]).time_series.at_s
  end

  def test_has_a_line_for_each_process_and_each_container
    all = processes(SampleProcesses.new.to_a)
    assert_equal all.members.map(&:name).sort, all.time_series.lines.map(&:name).sort
    assert_equal ["container"], all.container_time_series.lines.map(&:name)
  end
end
