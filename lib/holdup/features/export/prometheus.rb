# frozen_string_literal: true

require "prometheus/client/formats/text"

module Holdup
  module Export
    # Metrics for Prometheus, under the names of ExportedMetrics: what this collector has stored since it
    # began to lead. A collector that takes over begins at 0, which rate() and increase() recognise; otherwise
    # counters only grow, however workers come and go.
    #
    # The text is made after each commit by the collector's own thread, so its cost counts as the collector's,
    # and no scrape can cause more of it.
    class Prometheus
      # What prometheus-client's formatter takes.
      MetricFamily = Data.define(:name, :type, :docstring, :values)
      FamilyList = Data.define(:metrics)
      private_constant :MetricFamily, :FamilyList

      # @param export [ConfigurationKeys::PrometheusExport]
      # @param dir [String] folder of the segments
      # @param scaling [Scaling::ScalingSignal, nil]
      def initialize(export, dir:, log:, clock:, scaling: nil)
        @export = export
        @log = log
        @scaling = scaling
        @figures = ExportedMetrics.new(export, "Prometheus", log:, clock:, scaling:,
          figures: SeriesTotals::Figures)
        @refusals = 0
        @file = Exporters::MetricsFile.new(dir)
        @server = MetricsServer.new(bind: export.bind, port: export.port) if export.port
      end

      # The port at which it listens, or nil.
      def port = @server&.port

      # Publishes what there is; called again, it tries again to listen.
      def start
        listen
        publish unless @published
      end

      # Adds what was stored in one commit.
      # @param windows [Array<Window>]
      # @param samples [Array<Hash>] of processes
      # @param deaths [Array<Autopsy>] that the store did not have before
      def add(windows, samples, deaths: [])
        @figures.add(windows, samples, deaths:)
        listen
        publish
      end

      def close
        @server&.stop
        @file.remove if @published
        @published = false
      end

      # @return [String] in Prometheus's text format
      def text
        ::Prometheus::Client::Formats::Text.marshal(FamilyList.new(metrics: families))
      end

      private

      def publish
        text = self.text.freeze
        @server&.text = text
        @server&.scale = @scaling.document if @scaling
        @file.write(text)
        @published = true
      end

      # The port may be taken by a collector that is ending, so the first failure says nothing.
      def listen
        address = @server&.start
        @refusals = 0
        @log.warn("figures for Prometheus at #{address}") if address
      rescue SystemCallError, SocketError => error
        @refusals += 1
        return unless @refusals == 2
        @log.warn("nothing can listen at #{@export.bind}, port #{@export.port} (#{error.message}): " \
          "set config.prometheus to another port")
      end

      def families
        families = @figures.metrics.map do |metric|
          facts = metric.to_h
          docstring = facts.delete(:help)
          MetricFamily.new(docstring:, **facts)
        end
        [*families, *aliases].reject { |family| family.values.empty? }
      end

      # The same figures under names that dashboards know.
      def aliases
        totals = @figures.totals
        [
          queue_time(:rack_queue_duration_seconds, "Queue time of requests.", totals.rack),
          queue_time(:sidekiq_queue_latency_seconds, "Queue time of Sidekiq's jobs.", totals.sidekiq)
        ]
      end

      def queue_time(name, docstring, table)
        MetricFamily.new(name:, type: :histogram, docstring:,
          values: table.transform_values { |figures| figures.histogram(:queued) })
      end
    end
  end
end
