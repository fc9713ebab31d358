# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "contracts/otlp_exporting"

class Holdup::Export::OtlpPointsTest < Minitest::Test
  include OtlpExporting

  # What counts: of cumulative values the last.
  def points(name) = @receiver.last(name)

  def test_requests_and_jobs_have_the_names_of_the_semantic_conventions
    exporter.add([window("GET /orders/:id", [1_500_000_000]), window("A#b", [1]),
      window("J", [NS], kind: :job, queue: "low")], [])
    received
    request, other = points("http.server.request.duration")
    assert_equal({"holdup.role" => "puma+sidekiq", "holdup.kind" => "request",
                  "holdup.name" => "GET /orders/:id", "http.request.method" => "GET",
                  "http.route" => "/orders/:id"}, request.attributes)
    assert_equal "s", request.metric.unit
    assert_equal 1.5, request.point.sum
    refute_includes other.attributes, "http.route"
    job = points("messaging.process.duration").first
    assert_equal({"messaging.system" => "sidekiq", "messaging.destination.name" => "low",
                  "messaging.operation.name" => "process"},
      job.attributes.select { |name, _| name.start_with?("messaging") })
  end

  def test_without_them_all_have_the_same_name
    exporter(semconv: false).add([window("A", [NS]), window("J", [NS], kind: :job)], [])
    received
    assert_equal 2, points("ruby.gvl.duration").size
    assert_equal 2, durations.size
  end

  def test_other_figures_have_names_of_ours_and_their_units
    exporter.add([window("A", [NS], acquisitions: 3, gc_ns: 500_000_000)], [])
    received
    found = %w[ruby.gvl.acquisitions ruby.gvl.gc ruby.gvl.errors].map { |name| points(name).first }
    assert_equal [3, 0.5, 0], found.map(&:value)
    assert_equal %w[{acquisitions} s {errors}], found.map { |point| point.metric.unit }
    assert(found.all? { |point| point.metric.sum.is_monotonic })
    assert_equal :gauge, points("holdup.exporter.series").first.metric.data
  end

  def test_pairs_say_who_waited_for_whom
    pair = SampleWindows.new(setting: SETTING).window("A#b", kind: :pair, queue: "C#d",
      histograms: {stalled: Holdup::Histogram.of_sum(3 * NS)})
    exporter(pairs: true).add([pair], [])
    received
    point = points("holdup.pair").first
    assert_equal %w[A#b C#d], point.attributes.values_at("holdup.victim", "holdup.holder")
    assert_equal 3.0, point.value
  end

  def test_processes_have_their_gauges
    one = exporter
    setting = Holdup::Setting.new(attributes: SETTING)
    sample = {host: "web-1", pid: 7, start: 1, at_s: 10, setting: setting.fingerprint, rss_bytes: 5,
              "jit.kind": "yjit", jit_code_bytes: 9}
    one.add([window("A", [NS])], [sample])
    received
    assert_equal [5], points("ruby.memory.rss").map(&:value)
    assert_equal [["By", 9]], points("ruby.yjit.code").map { |point| [point.metric.unit, point.value] }
  end

  # Each value is in a bucket whose middle is at most 3.8 % off.
  one_ruby def test_histograms_are_exponential_with_our_base
    random = Random.new(11)
    values = Array.new(300) { (2**random.rand(10.1..41.0)).round }
    values.each do |value|
      exporter.add([window("A", [value])], [])
      received
      histogram = points("http.server.request.duration").first.point
      assert_equal [4, 1], [histogram.scale, histogram.positive.bucket_counts.sum]
      middle = 2**((histogram.positive.offset + 0.5) / 16)
      assert_in_delta 1, middle * NS / value, 0.0385, "#{value} ns"
    end
  end

  def test_histograms_have_exact_counts_sums_and_extremes
    exporter.add([window("A", [100, 1024, 2_000, 5_000_000, 10**13])], [])
    received
    histogram = points("http.server.request.duration").first.point
    assert_equal [5, 2], [histogram.count, histogram.zero_count]
    assert_equal 3, histogram.positive.bucket_counts.sum
    assert_in_delta 1.024e-6, histogram.zero_threshold, 1e-12
    assert_operator histogram.zero_threshold, :<=, 2**(histogram.positive.offset / 16.0)
    assert_in_delta 10_000.005003124, histogram.sum, 1e-9
    assert_equal [1e-7, 10_000.0], [histogram.min, histogram.max]
  end
end
