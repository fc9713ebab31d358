# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::LoadSummary::OwnCostTest < Minitest::Test
  NS = 1_000_000_000

  def sample = @sample ||= SampleWindows.new

  def account(name, held_ns)
    sample.window(name, kind: :account, queue: nil, count: 0, sums: {caused_ns: 5},
      histograms: {running: Holdup::Histogram.of([held_ns])})
  end

  def cost(windows, samples = SampleProcesses.new(sample).to_a)
    Holdup::Queries::LoadSummary::OwnCost.new(windows,
      Holdup::Analysis::ProcessReport.new(samples, from_s: sample.from_s, to_s: sample.to_s))
  end

  def test_its_threads_among_the_processes
    found = cost([account("thread:holdup", NS), account("thread:holdup-collector", NS),
      account("thread:puma", 90 * NS)])
    assert_in_delta 2.0 / (3 * 180), found.held_share, 1e-9
    assert_equal 10, found.caused_ns
  end

  def test_the_collector_and_the_segments_of_all_hosts
    two = SampleProcesses.new(sample).to_a + SampleProcesses.new(sample, host: "web-2").to_a
    found = cost([], two)
    assert_in_delta 0.008, found.collector_cpu_share, 1e-9
    assert_equal [80_000_000, 6_000_000, nil, nil],
      [found.collector_bytes, found.segment_bytes, found.held_share, found.caused_ns]
    assert_predicate found, :known?
  end

  def test_does_not_know_the_cost_of_old_recordings
    refute_predicate cost([], []), :known?
  end
end
