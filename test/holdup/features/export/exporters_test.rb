# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Export::ExportersTest < Minitest::Test
  include TemporaryFolder

  def around(*exports, **options)
    Holdup::Export::Exporters.around(:store, exports, dir: folder, log: @log = CollectedLog.new, **options)
  end

  def test_without_the_setting_the_store_is_unchanged
    assert_equal :store, around
  end

  def test_an_exporter_that_can_not_be_made_is_left_out_and_the_log_says_why
    export = Holdup::ConfigurationKeys::OpenTelemetryExport.new
    assert_equal :store, around(export, env: {"OTEL_METRIC_EXPORT_INTERVAL" => "1m"})
    assert_equal ["config.opentelemetry exports nothing: OTEL_METRIC_EXPORT_INTERVAL is a number of " \
      "milliseconds, not \"1m\""], @log.lines
  end

  # The gem reads ENV itself.
  def test_a_file_that_is_missing_does_not_keep_the_others_from_exporting
    ENV["OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"] = "/nowhere/client.pem"
    names = %i[OpenTelemetryExport PrometheusExport]
    exports = names.map { |name| Holdup::ConfigurationKeys.const_get(name).new }
    assert_instance_of Holdup::Export::Exporters::ExportingStore, around(*exports)
    assert_match(%r{\Aconfig\.opentelemetry exports nothing: No such file.*/nowhere/client\.pem},
      @log.lines.first)
  ensure
    ENV.delete("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE")
  end

  # Its gem would change the application's own OpenTelemetry.
  def test_open_telemetry_needs_a_collector_outside_of_the_application
    assert_equal :store, around(Holdup::ConfigurationKeys::OpenTelemetryExport.new, in_app: true)
    assert_match(/config\.opentelemetry exports nothing.*set config\.collector to :process/, @log.lines.first)
  end

  # As with `config.collector = :thread`.
  def test_a_collector_in_a_thread_exports
    configuration = Holdup::Configuration.build do |config|
      config.collector = :thread
      config.dir = File.join(folder, "segments")
      config.store = File.join(folder, "store.sqlite3")
      config.prometheus = :web
    end
    log = CollectedLog.new
    collector = Holdup::Runtime::Collectors.build(configuration, env: {}, log:)
    collector.start
    file = Holdup::Export::Exporters::MetricsFile.new(configuration.dir)
    assert_includes wait_until { file.read }, "holdup_exporter_series 0"
  ensure
    collector&.stop
    assert_empty log&.lines.to_a
  end

  def test_without_its_gem_nothing_is_exported_and_the_log_says_what_to_install
    {PrometheusExport: "prometheus-client", OpenTelemetryExport: "opentelemetry-exporter-otlp-metrics",
     StatsdExport: "dogstatsd-ruby"}.each do |export, gem|
      output = without_gems(export)
      assert_match(/needs the gem #{gem}.*`gem install #{gem}`$/, output)
      assert_equal ":store", output.lines.last.chomp
    end
  end

  def without_gems(export)
    script = <<~RUBY
      require "holdup"
      require "holdup/loader"
      log = Object.new
      def log.warn(line) = puts(line)
      export = Holdup::ConfigurationKeys.const_get(ARGV[1]).new
      p Holdup::Export::Exporters.around(:store, [export], dir: ARGV[0], log:)
    RUBY
    zeitwerk = $LOAD_PATH.grep(/zeitwerk/).flat_map { |path| ["-I", path] }
    lib = File.expand_path("../../../../lib", __dir__)
    command = [RbConfig.ruby, "--disable=gems", "-I", lib, *zeitwerk, "-e", script, folder, export.to_s]
    IO.popen([{"RUBYOPT" => nil}, *command], &:read)
  end
end
