# frozen_string_literal: true

module Holdup
  module Export
    # Figures as OpenTelemetry's data points, with the names of its semantic conventions where there are any.
    class OtlpPoints
      SCALE = Histogram::Buckets::SCALE
      # Our buckets have bounds of 2^(i/16) ns, OpenTelemetry's 2^(i/16) s. 16 * log2(10^9) is 478.35, so the
      # nearest bucket begins 1.5 % higher, and a percentile is at most 3.8 % off instead of 2.2 %. Counts and
      # sums are exact.
      SHIFT = ((1 << SCALE) * Math.log2(NS)).round

      PointBuckets = Data.define(:offset, :counts)
      NO_BUCKETS = PointBuckets.new(offset: 0, counts: [])
      private_constant :PointBuckets, :NO_BUCKETS

      ATTRIBUTES = {role: "holdup.role", arm: "holdup.arm", kind: "holdup.kind", name: "holdup.name",
                    queue: "messaging.destination.name", state: "ruby.gvl.state",
                    call: "ruby.gvl.call.system", part: "ruby.gvl.call.part",
                    reason: "holdup.reason", victim: "holdup.victim", holder: "holdup.holder"}.freeze
      # The names of ruby_gvl_duration_seconds for each kind, and what they mean.
      DURATIONS = {
        "request" => ["http.server.request.duration", "Duration of HTTP server requests."],
        "job" => ["messaging.process.duration", "Duration of processing operation."]
      }.freeze
      ROUTE = %r{\A(?<method>[A-Z]+) (?<route>/.*)\z}m
      RUNNERS = Servers::ADAPTERS.each_value.select(&:jobs?).map(&:server_name).freeze

      # @param resources [Otlp::LabelledResources]
      # @param semconv [Boolean] whether durations have the names of the semantic conventions
      # @param delta [Boolean] whether the values are differences
      def initialize(resources, semconv:, delta:)
        @resources = resources
        @semconv = semconv
        @temporality = delta ? :delta : :cumulative
        @scope = ::OpenTelemetry::SDK::InstrumentationScope.new("holdup", VERSION)
      end

      # @param metrics [Array<ExportedMetrics::ExportedMetric>]
      # @return [Array<OpenTelemetry::SDK::Metrics::State::MetricData>]
      def of(metrics, since_ns:, now_ns:)
        times = {start_time_unix_nano: since_ns, time_unix_nano: now_ns}
        metrics.flat_map do |metric|
          streams = metric.values.keys.group_by { |labels| [@resources.of(labels), *title(metric, labels)] }
          streams.map { |stream, labels| data(metric, stream, metric.values.slice(*labels), times) }
        end
      end

      private

      # @return [(String, String)] name and description
      def title(metric, labels)
        own = [metric.dotted_name, metric.help]
        return own unless @semconv && metric.name == :ruby_gvl_duration_seconds
        DURATIONS.fetch(labels[:kind], own)
      end

      def data(metric, stream, values, times)
        resource, name, description = stream
        facts = {
          name:, description:, unit: metric.unit, instrument_kind: metric.type, resource:,
          instrumentation_scope: @scope, data_points: values.map { |each| point(*each, times) },
          aggregation_temporality: @temporality, is_monotonic: metric.type == :counter, **times
        }
        struct = ::OpenTelemetry::SDK::Metrics::State::MetricData
        struct.new(**facts.slice(*struct.members)) # an older one does not have all
      end

      def point(labels, value, times)
        facts = {attributes: attributes(labels), exemplars: [], flags: 0, **times}
        return histogram_point(value, facts) if value.is_a?(Histogram)
        ::OpenTelemetry::SDK::Metrics::Aggregation::NumberDataPoint.new(value:, **facts)
      end

      def histogram_point(histogram, facts)
        offset = Histogram::Buckets::MIN_INDEX + histogram.offset - SHIFT
        ::OpenTelemetry::SDK::Metrics::Aggregation::ExponentialHistogramDataPoint.new(
          count: histogram.count,
          sum: histogram.sum.fdiv(NS),
          scale: SCALE,
          zero_count: histogram.zero,
          zero_threshold: Histogram::Buckets::FLOOR_NS.fdiv(NS),
          positive: PointBuckets.new(offset:, counts: histogram.counts),
          negative: NO_BUCKETS,
          min: histogram.min&.fdiv(NS),
          max: histogram.max&.fdiv(NS),
          **facts
        )
      end

      def attributes(labels)
        own = labels.slice(*ATTRIBUTES.keys).transform_keys(ATTRIBUTES).transform_values(&:to_s)
        case labels[:kind]
        when "request" then own.merge(http(labels))
        when "job" then own.merge(messaging(labels))
        else own
        end
      end

      def http(labels)
        route = ROUTE.match(labels[:name].to_s)
        route ? {"http.request.method" => route[:method], "http.route" => route[:route]} : {}
      end

      def messaging(labels)
        system = (labels[:role].to_s.split("+") & RUNNERS).first
        {"messaging.operation.name" => "process", "messaging.system" => system}.compact
      end
    end
  end
end
