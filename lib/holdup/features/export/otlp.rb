# frozen_string_literal: true

require "digest"
require "etc"
require "opentelemetry-exporter-otlp-metrics"
require "timeout"
require "uri"

module Holdup
  module Export
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

      # What to do, by the status of the receiver's answer.
      ADVICE = {
        [401, 403] => "check the headers by which the receiver lets in (OTEL_EXPORTER_OTLP_HEADERS)",
        [404, 405] => "check the path of the endpoint",
        [413] => "let the receiver, or the proxy before it, take larger requests",
        [408, 429, 502, 503, 504] => "the receiver is busy or down: the next export has everything again"
      }.freeze
      UNKNOWN = "check the endpoint, and that it speaks OTLP over HTTP"
      private_constant :ADVICE, :UNKNOWN

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
        @figures = ExportedMetrics.new(export.with(labels:), RECEIVER, log:, clock:, scaling:)
        @points = OtlpPoints.new(resources, semconv: export.semconv, delta: @delta)
        @delivery = ExportedMetrics::Delivery.new
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
      # @param deaths [Array<Autopsy>] that the store did not have before
      def add(windows, samples, deaths: [])
        @mutex.synchronize { @figures.add(windows, samples, deaths:) }
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
        result = Timeout.timeout(@client.longest_s) { @client.export(data) }
        return if result == ::OpenTelemetry::SDK::Metrics::Export::SUCCESS
        raise failure(@complaint.text || "no answer in time")
      rescue Timeout::Error
        longest_s = @client.longest_s
        @client = MetricsClient.new(**@options) # the connection of the old one is within an answer
        raise failure("no whole answer within #{format("%g", longest_s)} s")
      end

      # The gem has the same words for most answers of the receiver that refuse.
      def failure(reason)
        status = @client.status
        advice = ADVICE.find { |statuses, _| statuses.include?(status.to_i) }&.last
        reason = "HTTP status #{status}" if status.to_i >= 400
        Error.new("#{@url} failed (#{reason})", advice || UNKNOWN)
      end

      def client(export, env)
        ::OpenTelemetry.logger = @complaint = PushThread::LastComplaint.logger
        warn_of_protocol(env)
        endpoint = export.endpoint && whole(URI(export.endpoint))
        @url = (endpoint || url(env)).sub(%r{//[^/@]*@}, "//") # without a password
        @options = {endpoint:}.compact
        MetricsClient.new(**@options)
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

    # The gem's client, with limits on what an answer can do: another program may listen where the receiver
    # should. It can neither fill the memory nor send the figures and headers (with passwords) elsewhere.
    class Otlp::MetricsClient < ::OpenTelemetry::Exporter::OTLP::Metrics::MetricsExporter
      # Bytes of one answer, with its headers.
      MOST_BYTES = 256 * 1024
      LONGEST_S = 60

      # @return [Numeric] for an export with its repetitions. The gem limits each wait for bytes alone, and
      #   sleeps for as long as the receiver asks for
      def longest_s
        [LONGEST_S, @timeout.to_f].max
      end

      # @return [String, nil] of the last answer, such as "401 Unauthorized"; nil: there was none
      def status = @http.status

      def send_bytes(...)
        @http.status = nil
        super
      end

      # @return [Net::HTTP]
      def http_connection(...)
        super.extend(SmallAnswers)
      end

      # @raise [Holdup::Error] which the gem logs
      def handle_redirect(location)
        raise Error.new("it redirects to #{location.inspect}", "set that as the endpoint if it is right")
      end

      # Extends a Net::HTTP.
      module SmallAnswers
        attr_accessor :status

        # Compressed answers would be larger than what is read.
        def request(request, ...)
          request["accept-encoding"] = "identity"
          @socket&.io&.left_bytes = MOST_BYTES
          super.tap { |answer| @status = readable("#{answer.code} #{answer.message}") }
        end

        private

        # A receiver may send any bytes.
        def readable(text) = Utf8.valid(text).gsub(/[[:cntrl:]]+/, " ").strip[0, 100]

        def connect
          super
          @socket.io.extend(LimitedReads).left_bytes = MOST_BYTES
        end
      end

      # Extends the socket, because Net::HTTP reads headers of any length.
      module LimitedReads
        attr_writer :left_bytes

        def read_nonblock(...)
          read = super
          @left_bytes -= read.bytesize if read.is_a?(String)
          raise IOError, "its answer has more than #{MOST_BYTES} bytes" if @left_bytes.negative?
          read
        end
      end
      private_constant :SmallAnswers, :LimitedReads
    end

    # Resources that figures belong to: from the labels of the processes, from OTEL_* variables, which come
    # first, and from those that Kubernetes's downward API gives a pod.
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
      # A variable such as NODE_NAME means something else where this one is missing.
      IN_KUBERNETES = "KUBERNETES_SERVICE_HOST"
      # Name of the service for the collector's own figures, and for processes without `config.app`.
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
        pairs = Utf8.valid(env["OTEL_RESOURCE_ATTRIBUTES"]).split(",").filter_map do |pair|
          name, value = pair.split("=", 2).map { |text| Utf8.valid(URI.decode_uri_component(text.strip)) }
          [name, value] unless name.to_s.empty? || value.to_s.empty?
        rescue ArgumentError
          nil
        end
        service = Utf8.valid(env["OTEL_SERVICE_NAME"])
        service.empty? ? pairs.to_h : pairs.to_h.merge("service.name" => service)
      end

      def kubernetes(env)
        return {} unless env[IN_KUBERNETES]
        found = KUBERNETES.transform_values do |names|
          env.values_at(*names).map { |text| Utf8.valid(text) }.find { |text| !text.empty? }
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
        text = facts.map { |fact| fact.to_s.b }.join("\0")
        bytes = Digest::SHA1.digest([INSTANCES].pack("H*") + text).bytes.first(16)
        bytes[6] = bytes[6] & 0x0f | 0x50
        bytes[8] = bytes[8] & 0x3f | 0x80
        digits = bytes.pack("C*").unpack1("H*")
        digits.unpack("a8a4a4a4a12").join("-")
      end
    end
  end
end
