# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_deaths"

class Holdup::Export::ExportedMetricsTest < Minitest::Test
  include ExampleDeaths

  FIGURES = Holdup::Export::ExportedMetrics
  SHARED = Holdup::ExportedFigures
  METRIC = FIGURES::ExportedMetric
  NAMES = [*SHARED::HISTOGRAMS.keys, *SHARED::COUNTERS.keys, *SHARED::UNIT_COUNTERS.keys,
    *SHARED::PROCESS_GAUGES.keys, *SHARED::PROCESS_COUNTERS.keys,
    :ruby_gvl_time_seconds_total, :ruby_gvl_nested_seconds_total, :ruby_gvl_errors_total,
    :ruby_gvl_handoff_seconds_total, :ruby_gvl_calls_total, :ruby_gvl_call_seconds_total,
    :holdup_pair_seconds_total, :holdup_process_deaths_total,
    :ruby_processes, :holdup_exporter_series,
    :holdup_exporter_dropped_series, :holdup_exporter_last_commit_timestamp_seconds].freeze
  LABELS = {app: "shop"}.freeze

  def metric(name, values = {}, type: :counter)
    METRIC.new(name:, type:, help: "", values:)
  end

  def test_names_with_dots_are_all_different
    dotted = NAMES.map { |name| metric(name).dotted_name }
    assert_equal dotted.uniq, dotted
    assert_empty dotted.grep_v(/\A(ruby|holdup)(\.[a-z_]+)+\z/)
  end

  # As OpenTelemetry's specification makes names for Prometheus. Only a namespace can't be a name.
  def test_translators_turn_names_back
    suffixes = {"s" => "_seconds", "By" => "_bytes"}
    different = NAMES.reject do |name|
      one = metric(name)
      total = "_total" if name.end_with?("_total")
      name.to_s == "#{one.dotted_name.tr(".", "_")}#{suffixes[one.unit]}#{total}"
    end
    assert_equal %i[ruby_cpu_seconds_total ruby_gc_seconds_total], different.sort
    assert_equal %w[ruby.cpu.time ruby.gc.time], different.sort.map { |name| metric(name).dotted_name }
  end

  def test_has_the_gauges_of_the_scaling_signal
    scaling = Struct.new(:gauges).new([[:holdup_load_ratio, "Load.", {LABELS => 0.5}],
      [:holdup_load_per_second, "Load.", {LABELS => 7.0}], [:holdup_backlog_jobs, "Waiting.", {}]])
    export = Holdup::ConfigurationKeys::PrometheusExport.new
    figures = FIGURES.new(export, "X", log: CollectedLog.new, clock: Holdup::Clock.new, scaling:)
    found = figures.metrics.select { |one| one.name.start_with?("holdup_load", "holdup_backlog") }
    assert_equal [["holdup.load_ratio", :gauge, {LABELS => 0.5}, "{ratio}"],
      ["holdup.load_per_second", :gauge, {LABELS => 7.0}, "1/s"]],
      found.map { |one| [one.dotted_name, one.type, one.values, one.unit] }
  end

  def test_calls_have_their_parts_and_are_no_requests
    sample = SampleWindows.new(setting: {"app" => "shop", "server" => "puma"})
    histograms = {wall: [9_000_000_000] * 2, idle: [4_000_000_000] * 2}
      .transform_values { |values| Holdup::Histogram.of(values) }
    histograms[:running] = Holdup::Histogram.of_sum(4_000_000_000)
    histograms[:stalled] = Holdup::Histogram.of_sum(6_000_000_000)
    calls = sample.window("A#b", kind: :call, queue: "sql primary", count: 2, histograms:,
      sums: {gc_ns: 1_000_000_000})
    export = Holdup::ConfigurationKeys::PrometheusExport.new
    figures = FIGURES.new(export, "X", log: CollectedLog.new, clock: Holdup::Clock.new)
    figures.add([calls], [])
    found = figures.metrics.to_h { |one| [one.name, one.values] }
    labels = {app: "shop", role: "puma", host: "web-1", name: "A#b", call: "sql primary"}
    assert_equal({labels => 2}, found.fetch(:ruby_gvl_calls_total))
    assert_equal({remote: 8.0, stalled: 6.0, gc: 1.0, ruby: 3.0},
      found.fetch(:ruby_gvl_call_seconds_total).transform_keys { |each| each[:part] })
    refute found.key?(:ruby_gvl_duration_seconds)
  end

  # @return [Hash, nil] labels => seconds
  def pairs(**options)
    sample = SampleWindows.new(setting: {"app" => "shop", "server" => "puma"})
    pair = sample.window("A#b", kind: :pair, queue: "C#d",
      histograms: {stalled: Holdup::Histogram.of_sum(3_000_000_000)})
    export = Holdup::ConfigurationKeys::PrometheusExport.new(**options)
    figures = FIGURES.new(export, "X", log: CollectedLog.new, clock: Holdup::Clock.new)
    figures.add([pair], [])
    figures.metrics.to_h { |one| [one.name, one.values] }[:holdup_pair_seconds_total]
  end

  def test_who_waited_for_whom_is_exported_where_that_is_asked_for
    assert_nil pairs
    labels = {app: "shop", role: "puma", host: "web-1", victim: "A#b", holder: "C#d"}
    assert_equal({labels => 3.0}, pairs(pairs: true))
    assert_equal [{victim: "A#b", holder: "C#d"}], pairs(pairs: true, labels: [:name]).keys
  end

  # @return [Hash{Hash => Integer}] labels => deaths
  def deaths(figures)
    figures.metrics.find { |one| one.name == :holdup_process_deaths_total }&.values.to_h
  end

  def test_deaths_have_the_labels_of_their_process
    sample = SampleWindows.new(setting: {"app" => "shop", "server" => "puma"})
    export = Holdup::ConfigurationKeys::PrometheusExport.new
    figures = FIGURES.new(export, "X", log: CollectedLog.new, clock: Holdup::Clock.new)
    window = sample.window("A#b")
    figures.add([window], [])
    labels = {app: "shop", role: "puma", host: "web-1"}
    assert_equal Holdup::Autopsy::REASONS.to_h { |reason| [{**labels, reason: reason.name}, 0] },
      deaths(figures), "a counter that begins at 1 never grew"
    figures.add([], [], deaths: [death(setting: window.setting.fingerprint, reason: :oom)])
    assert_equal({{**labels, reason: "oom"} => 1}, deaths(figures).select { |_, count| count.positive? })
  end

  def test_counts_the_death_of_a_process_whose_setting_is_unknown
    export = Holdup::ConfigurationKeys::PrometheusExport.new
    figures = FIGURES.new(export, "X", log: CollectedLog.new, clock: Holdup::Clock.new)
    figures.add([], [], deaths: [death, death(pid: 2)])
    assert_equal({{role: "puma", host: "web-1", reason: "gone"} => 2},
      deaths(figures).select { |_, count| count.positive? })
  end

  def test_what_is_delivered_is_not_in_the_next_difference
    delivery = FIGURES::Delivery.new
    first = [metric(:ruby_gvl_errors_total, {LABELS => 3, {} => 1})]
    assert_equal first, delivery.difference(first)
    delivery.delivered(first)
    second = [metric(:ruby_gvl_errors_total, {LABELS => 5, {} => 1})]
    assert_equal [{LABELS => 2}], delivery.difference(second).map(&:values)
    assert_equal [{LABELS => 2}], delivery.difference(second).map(&:values), "it was not delivered"
    delivery.delivered(second)
    assert_empty delivery.difference(second)
  end

  def test_differences_of_histograms_and_gauges
    delivery = FIGURES::Delivery.new
    before = Holdup::Histogram.of([5_000, 7_000])
    gauge = metric(:ruby_processes, {LABELS => 2}, type: :gauge)
    delivery.delivered([gauge, metric(:ruby_gvl_duration_seconds, {LABELS => before}, type: :histogram)])
    now = metric(:ruby_gvl_duration_seconds, {LABELS => before.record(9_000)}, type: :histogram)
    found, histogram = delivery.difference([gauge, now])
    assert_equal gauge, found
    assert_equal [1, 9_000], [histogram.values[LABELS].count, histogram.values[LABELS].sum]
  end
end
