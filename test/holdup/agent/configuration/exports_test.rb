# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

class Holdup::ExportsTest < Minitest::Test
  KEYS = Holdup::ConfigurationKeys
  EXPORT = KEYS::PrometheusExport

  def build(env = {}, value = nil)
    Holdup::Configuration.build(env:) { |draft| draft.prometheus = value }
  end

  def test_is_off_unless_it_is_set
    assert_nil build.exports.first
    assert_nil build({"HOLDUP_PROMETHEUS" => "off"}, 9395).exports.first
  end

  def test_listens_on_loopback_only
    export = build({}, 9395).exports.first
    assert_equal [9395, "127.0.0.1", 200], [export.port, export.bind, export.series]
    assert_equal %i[app role kind name queue host], export.labels
  end

  def test_who_waited_for_whom_is_exported_only_on_request
    refute build({}, 9395).exports.first.pairs
    text = "port=9395,pairs=true"
    assert_predicate build("HOLDUP_PROMETHEUS" => text).exports.first, :pairs
    assert_predicate build("HOLDUP_OPENTELEMETRY" => "pairs=true").exports.first, :pairs
    assert_predicate build("HOLDUP_STATSD" => "pairs=true").exports.first, :pairs
  end

  def test_the_dashboard_alone_needs_no_port
    assert_equal [EXPORT.new, nil], [build({}, :web).exports.first, EXPORT.new.port]
    assert_equal EXPORT.new, build("HOLDUP_PROMETHEUS" => "web").exports.first
  end

  def test_a_collector_reads_from_its_environment_what_the_code_set
    [9395, :web, {port: 1, bind: "::", series: 5, labels: %w[app revision]},
      {port: 1, pairs: true}].each do |value|
      export = build({}, value).exports.first
      assert_equal export, build("HOLDUP_PROMETHEUS" => export.to_s).exports.first, value.inspect
    end
  end

  def test_wrong_values_are_refused
    ["", 0, 65_536, "9395", :on, {ports: 1}, {labels: [:pid]}, {bind: "a b"}, {series: 0},
      {pairs: 5}].each do |value|
      assert_raises(Holdup::ConfigurationError, value.inspect) { build({}, value) }
    end
    %w[x port=x port=1,port=2 port=1;bind=::1 series labels=pid].each do |text|
      assert_raises(Holdup::ConfigurationError, text) { build("HOLDUP_PROMETHEUS" => text) }
    end
  end

  def test_several_exports_at_once
    exports = build({"HOLDUP_OPENTELEMETRY" => "http://otel:4318"}, 9395).exports
    open_telemetry = KEYS::OpenTelemetryExport.new(endpoint: "http://otel:4318")
    assert_equal [EXPORT.new(port: 9395), open_telemetry], exports
  end

  def test_a_collector_reads_all_exports_from_its_environment
    [
      KEYS::OpenTelemetryExport.new,
      KEYS::OpenTelemetryExport.new(endpoint: "https://otel/v1/metrics?a=b", interval: 5.5, semconv: false),
      KEYS::StatsdExport.new,
      KEYS::StatsdExport.new(address: "unix:///run/dsd.socket", format: :statsd, labels: %i[app name])
    ].each do |export|
      assert_equal [export], build(export.variable => export.to_s).exports
    end
  end

  def test_words_and_addresses_stand_for_all_options
    assert_equal [KEYS::OpenTelemetryExport.new, KEYS::StatsdExport.new],
      build("HOLDUP_OPENTELEMETRY" => "on", "HOLDUP_STATSD" => "ON").exports
    assert_equal [KEYS::StatsdExport.new(address: "udp://[::1]:8125")],
      build("HOLDUP_STATSD" => "udp://[::1]:8125").exports
    assert_empty build("HOLDUP_OPENTELEMETRY" => "off", "HOLDUP_STATSD" => "off").exports
  end

  def test_wrong_addresses_and_options_are_refused
    {
      "HOLDUP_OPENTELEMETRY" => %w[yes otel:4318 grpc://otel:4317 interval=0 semconv=x endpoint= port=1],
      "HOLDUP_STATSD" => %w[yes localhost udp://x tcp://x:1 unix:x format=graphite interval=0.5]
    }.each do |name, all|
      all.each do |text|
        error = assert_raises(Holdup::ConfigurationError, text) { build(name => text) }
        assert_match(/\A#{name} can't be .*; give :on, :off/, error.message)
      end
    end
  end
end
