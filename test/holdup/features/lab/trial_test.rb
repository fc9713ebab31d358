# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Trial::TrialResultTest < Minitest::Test
  Lab = Holdup::Lab
  MS = 1_000_000
  SAMPLE = SampleWindows.new

  def test_an_open_load_knows_how_long_requests_queued
    result = result(load: :open, queued: [2 * MS, 4 * MS], stalled: [MS, 3 * MS], wall: [10 * MS, 20 * MS])
    assert_predicate result, :sent_times?
    assert_in_delta 3 * MS, result.queued_ns
    assert_in_delta 2 * MS, result.stalled_ns
    assert_in_delta 5 * MS, result.wait_ns
    assert_in_delta 18 * MS, result.response_ns
  end

  def test_of_another_load_the_queue_is_the_rest_of_the_response
    result = result(load: :closed, wall: [10 * MS, 20 * MS], mean_ns: 25 * MS)
    refute_predicate result, :sent_times?
    assert_in_delta 25 * MS, result.response_ns
    assert_in_delta 10 * MS, result.queued_ns
  end

  # The clocks of the client and of the server round differently.
  def test_a_queue_is_never_negative
    assert_in_delta 0.0, result(load: :closed, wall: [10 * MS], mean_ns: 9 * MS).queued_ns
  end

  def test_percentiles_of_an_open_load_are_of_single_requests
    unit_samples = (1..100).map do |ms|
      ExampleUnits.unit_sample(running_ns: ms * MS, idle_ns: 0, stalled_ns: 0, queued_ns: ms.even? ? MS : nil)
    end
    result = result(load: :open, unit_samples: unit_samples.shuffle(random: Random.new(1)))
    assert_equal 51 * MS, result.percentile(0.5)
    assert_equal 95 * MS, result.percentile(0.95)
    assert_equal 101 * MS, result.percentile(1.0)
    assert_nil result(load: :open).percentile(0.5)
  end

  def test_percentiles_of_another_load_are_those_that_the_client_has_seen
    result = result(load: :closed, latencies: (1..100).map { |ms| ms * MS })
    assert_equal 50 * MS, result.percentile(0.5)
    assert_equal 95 * MS, result.percentile(0.9)
    assert_equal 99 * MS, result.percentile(0.99)
  end

  def test_cpu_time_is_shared_by_all_answered_requests
    answered = result(latencies: [MS] * 50, cpu_s: 2.0)
    assert_in_delta 40 * MS, answered.cpu_ns
    assert_nil result(cpu_s: nil).cpu_ns
    assert_in_delta 2e9, result(latencies: [], lost: 5, cpu_s: 2.0).cpu_ns, 1, "also without any answer"
  end

  def test_keeps_up_when_nearly_all_sent_requests_are_answered_in_time
    {100 => true, 95 => true, 94 => false, 0 => false}.each do |answered, expected|
      latencies = [MS] * answered
      assert_equal expected, result(latencies:, lost: 100 - answered, seconds: 10).kept_up?, answered.to_s
    end
  end

  # Even without a queue, the last of slow answers comes after the end.
  def test_slow_requests_keep_up_too
    slow = {latencies: [MS] * 100, seconds: 10, elapsed_s: 12, load: :closed}
    assert_predicate result(mean_ns: 3000 * MS, **slow), :kept_up?
    refute_predicate result(mean_ns: MS, **slow), :kept_up?
  end

  def test_leaves_out_processes_without_gauges
    assert_equal({7 => {backlog: 1}}, result(gauges: {7 => {backlog: 1}, 8 => nil}).gauges)
  end

  def test_figures_of_all_requests_and_of_each
    windows = [window("A#b", wall: [MS]), window("B#c", wall: [MS, MS])]
    result = result(windows:)
    assert_equal 3, result.total.count
    assert_equal({"A#b" => 1, "B#c" => 2}, result.rows.to_h { |row| [row.name, row.count] })
    assert_equal windows.first.setting, result.setting
  end

  private

  def result(load: :open, wall: [MS], queued: [], stalled: [],
    windows: [window("A#b", wall:, queued:, stalled:)], unit_samples: [], latencies: [MS], lost: 0,
    mean_ns: nil, cpu_s: 1.0, gauges: {}, seconds: 10, elapsed_s: seconds)
    p50_ns, p95_ns, p99_ns = [0.5, 0.95, 0.99].map { |share| Lab::Exchange::Percentile.of(latencies, share) }
    total = Lab::Exchange::Outcome.new(label: "all", count: latencies.size + lost, errors: lost, lost:,
      unexpected: 0, p50_ns:, p95_ns:, p99_ns:)
    seen = Lab::Load::OpenLoop::Seen.new(total:, routes: [], seconds: elapsed_s, mean_ns:)
    Lab::Trial::TrialResult.new(arm: nil, rate: 10, seconds:, load:, seen:, cpu_s:, memory_bytes: 1, gauges:,
      warmed: nil, windows:, unit_samples:, samples: [])
  end

  def window(name, **histograms)
    values = histograms.values.first
    SAMPLE.window(name, count: values.size, histograms: histograms.transform_values { |of|
      Holdup::Histogram.of(of)
    })
  end
end
