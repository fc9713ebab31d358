# frozen_string_literal: true

require_relative "exporter_contract"
require "opentelemetry-exporter-otlp-metrics"

# Exporters that send to a real receiver, when the test says so.
module OtlpExporting
  include TemporaryFolder
  include ExporterContract

  def setup
    @env = {}
    @receiver = OtlpReceiver.new
    super
  end

  def teardown
    super
    @receiver.stop
  end

  # Sends every hour, so that only the test does.
  def exporter(interval: 3600, **options)
    export = Holdup::ConfigurationKeys::OpenTelemetryExport.new(endpoint: @receiver.url, interval:, **options)
    made(export, @env)
  end

  def made(export, env)
    Holdup::Export::Otlp.new(export, dir: folder, log: @log, clock: Holdup::Clock.new, env:)
      .tap { |made| @exporters << made }
  end

  def received
    @exporters.last.push
    times = points("ruby.gvl.time").group_by { |point| point.attributes["holdup.name"] }
    durations.group_by { |point| point.attributes["holdup.name"] }.to_h do |name, found|
      [name, ExporterContract::Received.new(count: found.sum { |each| each.point.count },
        seconds: times[name].sum(&:value))]
    end
  end

  def hang = @receiver.mode = :hang

  def durations
    names = %w[http.server.request.duration messaging.process.duration ruby.gvl.duration]
    names.flat_map { |name| points(name) }
  end
end
