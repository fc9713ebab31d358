# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

class Holdup::PrometheusExportTest < Minitest::Test
  EXPORT = Holdup::ConfigurationKeys::PrometheusExport

  def build(env = {}, value = nil)
    Holdup::Configuration.build(env:) { |draft| draft.prometheus = value }
  end

  def test_is_off_unless_it_is_set
    assert_nil build.prometheus_export
    assert_nil build({"HOLDUP_PROMETHEUS" => "off"}, 9395).prometheus_export
  end

  def test_listens_on_loopback_only
    export = build({}, 9395).prometheus_export
    assert_equal [9395, "127.0.0.1", 200], [export.port, export.bind, export.series]
    assert_equal %i[app role kind name queue host], export.labels
  end

  def test_the_dashboard_alone_needs_no_port
    assert_equal [EXPORT.new, nil], [build({}, :web).prometheus_export, EXPORT.new.port]
    assert_equal EXPORT.new, build("HOLDUP_PROMETHEUS" => "web").prometheus_export
  end

  def test_a_collector_reads_from_its_environment_what_the_code_set
    [9395, :web, {port: 1, bind: "::", series: 5, labels: %w[app revision]}].each do |value|
      export = build({}, value).prometheus_export
      assert_equal export, build("HOLDUP_PROMETHEUS" => export.to_s).prometheus_export, value.inspect
    end
  end

  def test_wrong_values_are_refused
    ["", 0, 65_536, "9395", :on, {ports: 1}, {labels: [:pid]}, {bind: "a b"}, {series: 0}].each do |value|
      assert_raises(Holdup::ConfigurationError, value.inspect) { build({}, value) }
    end
    %w[x port=x port=1,port=2 port=1;bind=::1 series labels=pid].each do |text|
      assert_raises(Holdup::ConfigurationError, text) { build("HOLDUP_PROMETHEUS" => text) }
    end
  end
end
