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
    course = processes([sample(0, cpu_ns: 0, gc_time_ns: 0, rss_bytes: 10),
      sample(1, cpu_ns: 30 * NS, gc_time_ns: 6 * NS, rss_bytes: 30), sample(2, cpu_ns: 30 * NS, gc_time_ns: 6 * NS, rss_bytes: 20)]).course
    line = course.lines.first
    assert_equal [FROM_S + 60, FROM_S + 120], course.at_s
    assert_equal [[0.5, 0.0], [0.1, 0.0], [30, 20]],
      %i[cpu_share gc_share rss_bytes].map { |key| line.values(key, course.at_s) }
  end

  def test_processes_looked_at_in_different_seconds_share_steps_and_gaps_are_gaps
    early = [0, 1, 2, 4].map { |minute| sample(minute, cpu_ns: minute * 60 * NS) }
    late = [2, 3].map { |minute| sample(minute, pid: 2, second: 41, cpu_ns: 0) }
    course = processes(early + late).course
    assert_equal ["worker 1", "worker 2"], course.lines.map(&:name)
    assert_equal [[1.0, 1.0, nil, 1.0], [nil, nil, 0.0, nil]],
      course.lines.map { |line| line.values(:cpu_share, course.at_s) }
  end

  def test_one_sample_is_no_course
    assert_empty processes([sample(0, cpu_ns: 0)]).course.lines
    assert_empty processes([]).course.at_s
  end

  def test_what_every_sample_says_is_what_the_processes_say
    all = processes(SampleProcesses.new.to_a)
    assert_equal all.members.map(&:name).sort, all.course.lines.map(&:name).sort
    assert_equal ["container"], all.containers_course.lines.map(&:name)
  end
end
