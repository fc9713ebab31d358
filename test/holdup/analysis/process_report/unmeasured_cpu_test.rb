# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::ProcessReport::UnmeasuredCpuTest < Minitest::Test
  NS = 1_000_000_000

  def test_finds_what_measured_processes_did_not_use
    assert_equal [[0, 60, 0.25], [60, 120, 0.75]],
      intervals(container({0 => 0, 60 => 45, 120 => 120}), process({0 => 0, 60 => 30, 120 => 60}))
  end

  # A worker that ends after half of the second minute used 10 of its 20 seconds there, another one 20.
  def test_subtracts_what_a_process_used_until_its_end
    ended = process({0 => 0, 60 => 40, 90 => 50}, pid: 8, ended: true)
    assert_equal [[0, 60, 0.25], [60, 120, 0.2]],
      intervals(container({0 => 0, 60 => 75, 120 => 117}), ended, process({0 => 0, 60 => 20, 120 => 40}))
  end

  # An application was booted, and another one used the CPUs before. The CPU time until the first sample is
  # that of the application, but not measured.
  def test_leaves_out_the_time_before_the_processes_were_measured
    booted = process({40 => 2, 80 => 4, 140 => 7}, since_s: 35)
    assert_equal [[40, 80, 0.05], [80, 140, 0.1]],
      intervals(container({0 => 0, 40 => 78, 80 => 82, 140 => 91}), booted)
  end

  def test_leaves_out_the_time_after_the_processes_ended
    ended = process({0 => 0, 60 => 30, 100 => 40}, ended: true)
    assert_equal [[0, 60, 0.5]], intervals(container({0 => 0, 60 => 60, 120 => 180, 180 => 290}), ended)
  end

  # A process is sampled at other seconds than its container, and not again after it was asked.
  def test_takes_the_last_known_rate_until_the_next_sample
    assert_equal [[0, 60, 0.5]], intervals(container({0 => 0, 60 => 60}), process({0 => 0, 45 => 22.5}))
    assert_empty intervals(container({0 => 0, 60 => 60}), process({0 => 0, 20 => 10}))
  end

  # Where a host lost its power, no sample says that a process ended.
  def test_processes_without_further_samples_are_gone
    lost = process({0 => 0, 60 => 30}, pid: 8)
    found = intervals(container({0 => 0, 60 => 30, 200 => 30, 260 => 60}), lost,
      process({200 => 0, 260 => 30}))
    assert_equal [[0, 60, 0.0], [200, 260, 0.0]], found
  end

  def test_knows_nothing_without_two_samples_of_the_container_or_without_processes
    assert_empty intervals(container({0 => 0}), process({0 => 0, 60 => 30}))
    assert_empty intervals(container({0 => 0, 60 => 60}))
    assert_empty Holdup::Analysis::ProcessReport.new([], from_s: 0, to_s: 600).other_cpus("h")
  end

  private

  def intervals(*samples)
    report = Holdup::Analysis::ProcessReport.new(samples.flatten, from_s: 0, to_s: 600)
    report.other_cpus("h").map { |one| [one.from_s, one.to_s, one.cpus.round(6)] }
  end

  def container(seconds) = trail(seconds, pid: 0)

  def process(seconds, pid: 7, ended: false, **facts)
    *before, last = trail(seconds, pid:, start: 1, **facts)
    [*before, last.merge(ended:)]
  end

  # @param seconds [Hash{Integer => Numeric}] of CPU time at each second
  def trail(seconds, **facts)
    seconds.map { |at_s, cpu_s| {at_s:, host: "h", cpu_ns: (cpu_s * NS).round, **facts} }
  end
end
