# frozen_string_literal: true

require "digest"
require "etc"
require "opentelemetry-exporter-otlp-metrics"
require "uri"

module Holdup
  module Exporters
    # OpenTelemetry's metrics over HTTP, sent at intervals: what this collector has stored since it began to
    # lead, or since the receiver last took something (delta). The gem encodes and sends. It gets finished
    # points instead of instruments, because the probe has measured already.
    #
    # What the receiver does not take is part of the next export. So nothing is lost, but with delta a
    # receiver whose answer got lost counts an interval twice.
    class Otlp
      RECEIVER = "OpenTelemetry"
      INTERVAL_S = 60
      PATH = "/v1/metrics"
      PROTOCOL = "http/protobuf"
      # Values of OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE => whether they mean differences.
      TEMPORALITIES = {"cumulative" => false, "delta" => true, "lowmemory" => true}.freeze

      # @param export [ConfigurationKeys::OpenTelemetryExport]
      # @param dir [String] folder of the segments
      # @param env [Hash{String => String}, ENV] the gem itself reads ENV
      # @raise [ArgumentError] says which variable is wrong
      def initialize(export, dir:, log:, clock:, env:, scaling: nil)
        raise ArgumentError, "OTEL_SDK_DISABLED is true" if env["OTEL_SDK_DISABLED"]&.downcase == "true"
        @log = log
        @clock = clock
        @delta = delta?(env)
        resources = LabelledResources.new(env:, dir:)
        labels = export.labels - resources.given_labels
        @figures = ExportedFigures.new(export.with(labels:), RECEIVER, log:, clock:, scaling:)
        @points = Points.new(resources, semconv: export.semconv, delta: @delta)
        @delivery = ExportedFigures::Delivery.new
        @mutex = Mutex.new
        @client = client(export, env)
        @thread = PushThread.new(RECEIVER, address: @url, interval_s: interval_s(export, env), log:) { push }
      end

      def start
        @since_ns ||= @clock.realtime_ns
        @thread.start
      end

      # Adds what was stored in one commit.
      # @param windows [Array<Window>]
      # @param samples [Array<Hash>] of processes
      def add(windows, samples)
        @mutex.synchronize { @figures.add(windows, samples) }
      end

      def close = @thread.stop

      # One export; only the thread calls it, and tests.
      # @raise [Holdup::Error] when the receiver did not take it
      def push
        @since_ns ||= @clock.realtime_ns
        now_ns = @clock.realtime_ns
        metrics = @mutex.synchronize { @figures.metrics }
        changed = @delta ? @delivery.difference(metrics) : metrics
        deliver(@points.of(changed, since_ns: @since_ns, now_ns:))
        return unless @delta
        @delivery.delivered(metrics)
        @since_ns = now_ns
      end

      private

      def deliver(data)
        @complaint.text = nil
        result = @client.export(data)
        return if result == ::OpenTelemetry::SDK::Metrics::Export::SUCCESS
        raise Error.new("#{@url} failed (#{@complaint.text || "no answer in time"})",
          "check the endpoint, and that it speaks OTLP over HTTP")
      end

      def client(export, env)
        ::OpenTelemetry.logger = @complaint = PushThread::LastComplaint.new
        warn_of_protocol(env)
        endpoint = export.endpoint && whole(URI(export.endpoint))
        @url = (endpoint || url(env)).sub(%r{//[^/@]*@}, "//") # without a password
        ::OpenTelemetry::Exporter::OTLP::Metrics::MetricsExporter.new(**{endpoint:}.compact)
      rescue URI::InvalidURIError => error
        raise ArgumentError, error.message
      end

      def warn_of_protocol(env)
        wanted = env["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"] || env["OTEL_EXPORTER_OTLP_PROTOCOL"] || PROTOCOL
        @log.warn("#{RECEIVER} gets #{PROTOCOL}, not #{wanted}") unless wanted == PROTOCOL
      end

      def whole(uri)
        uri.path = PATH if ["", "/"].include?(uri.path)
        uri.to_s
      end

      # Where the gem sends to, for the log.
      def url(env)
        env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_ENDPOINT"] ||
          "http://localhost:4318"
      end

      def delta?(env)
        name = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
        given = env[name].to_s.empty? ? "cumulative" : env[name].downcase
        TEMPORALITIES.fetch(given) { raise ArgumentError, "#{name} is cumulative, delta or lowmemory" }
      end

      def interval_s(export, env)
        return export.interval if export.interval
        text = env["OTEL_METRIC_EXPORT_INTERVAL"].to_s
        return INTERVAL_S if text.empty?
        milliseconds = Float(text, exception: false)
        return milliseconds / 1000 if milliseconds&.positive?
        raise ArgumentError, "OTEL_METRIC_EXPORT_INTERVAL is a number of milliseconds, not #{text.inspect}"
      end
    end

    # Figures as OpenTelemetry's data points, with the names of its semantic conventions where there are any.
    class Otlp::Points
      NS = 1_000_000_000
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
                    call: "ruby.gvl.call.system", part: "ruby.gvl.call.part"}.freeze
      # By kind: the names of ruby_gvl_duration_seconds, and what they mean.
      DURATIONS = {
        "request" => ["http.server.request.duration", "Duration of HTTP server requests."],
        "job" => ["messaging.process.duration", "Duration of processing operation."]
      }.freeze
      ROUTE = %r{\A(?<method>[A-Z]+) (?<route>/.*)\z}m
      RUNNERS = %w[sidekiq solid_queue good_job].freeze

      # @param resources [Otlp::LabelledResources]
      # @param semconv [Boolean] whether durations have the names of the semantic conventions
      # @param delta [Boolean] whether the values are differences
      def initialize(resources, semconv:, delta:)
        @resources = resources
        @semconv = semconv
        @temporality = delta ? :delta : :cumulative
        @scope = ::OpenTelemetry::SDK::InstrumentationScope.new("holdup", VERSION)
      end

      # @param metrics [Array<ExportedFigures::ExportedMetric>]
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

    # Whom figures are of: from the labels of the processes, from OTEL_* variables, which come first, and from
    # those that Kubernetes's downward API gives a pod.
    class Otlp::LabelledResources
      OF_LABELS = {app: "service.name", revision: "service.version", host: "host.name"}.freeze
      # Attribute => the variables that manifests commonly use for it.
      KUBERNETES = {
        "k8s.cluster.name" => %w[K8S_CLUSTER_NAME],
        "k8s.namespace.name" => %w[K8S_NAMESPACE_NAME K8S_NAMESPACE POD_NAMESPACE MY_POD_NAMESPACE],
        "k8s.node.name" => %w[K8S_NODE_NAME NODE_NAME MY_NODE_NAME],
        "k8s.deployment.name" => %w[K8S_DEPLOYMENT_NAME],
        "k8s.pod.name" => %w[K8S_POD_NAME POD_NAME MY_POD_NAME],
        "k8s.pod.uid" => %w[K8S_POD_UID POD_UID MY_POD_UID],
        "k8s.container.name" => %w[K8S_CONTAINER_NAME CONTAINER_NAME]
      }.freeze
      # Without it a variable such as NODE_NAME means something else.
      IN_KUBERNETES = "KUBERNETES_SERVICE_HOST"
      # Of the collector's own figures, and of processes without `config.app`.
      OWN_SERVICE = "holdup"
      UNKNOWN_SERVICE = "unknown_service:ruby"
      # The semantic conventions' namespace for service.instance.id.
      INSTANCES = "4d63009a8d0f11eeaad74c796ed8e320"

      # @param env [Hash{String => String}, ENV]
      # @param dir [String] folder of the segments, of which each has one collector
      def initialize(env:, dir:)
        @given = given(env)
        kubernetes = kubernetes(env)
        @base = {
          "service.instance.id" => instance_id([Etc.uname[:nodename], *kubernetes.values, dir, device(dir)]),
          "telemetry.sdk.name" => "holdup",
          "telemetry.sdk.language" => "ruby",
          "telemetry.sdk.version" => VERSION,
          **kubernetes
        }
        @resources = {}
      end

      # @return [Array<Symbol>] labels that variables override, so that there must be one value for all
      def given_labels
        OF_LABELS.select { |_, attribute| @given.key?(attribute) }.keys
      end

      # @return [OpenTelemetry::SDK::Resources::Resource] the same object for the same attributes
      def of(labels)
        facts = labels.slice(*OF_LABELS.keys)
        @resources[[facts, labels.empty?]] ||= begin
          service = {"service.name" => labels.empty? ? OWN_SERVICE : UNKNOWN_SERVICE}
          own = facts.transform_keys { |label| OF_LABELS.fetch(label) }
          ::OpenTelemetry::SDK::Resources::Resource.create({**@base, **service, **own, **@given})
        end
      end

      private

      # Percent-encoded pairs, as the specification has them. Where one is wrong, it alone is left out.
      def given(env)
        pairs = env["OTEL_RESOURCE_ATTRIBUTES"].to_s.split(",").filter_map do |pair|
          name, value = pair.split("=", 2).map { |text| URI.decode_uri_component(text.strip) }
          [name, value] unless name.to_s.empty? || value.to_s.empty?
        rescue ArgumentError
          nil
        end
        service = env["OTEL_SERVICE_NAME"].to_s
        service.empty? ? pairs.to_h : pairs.to_h.merge("service.name" => service)
      end

      def kubernetes(env)
        return {} unless env[IN_KUBERNETES]
        found = KUBERNETES.transform_values do |names|
          env.values_at(*names).find { |text| !text.to_s.empty? }
        end
        found.compact
      end

      # Containers of a pod share its name, and the path may be the same in each; the mount is not.
      def device(dir)
        dir = File.dirname(dir) until File.exist?(dir)
        File.stat(dir).dev
      end

      # @return [String] the same UUID (version 5) for each collector of a folder
      def instance_id(facts)
        bytes = Digest::SHA1.digest([INSTANCES].pack("H*") + facts.join("\0")).bytes.first(16)
        bytes[6] = bytes[6] & 0x0f | 0x50
        bytes[8] = bytes[8] & 0x3f | 0x80
        digits = bytes.pack("C*").unpack1("H*")
        digits.unpack("a8a4a4a4a12").join("-")
      end
    end
  end
end
