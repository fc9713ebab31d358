# frozen_string_literal: true

module Holdup
  # Figures for other systems, from what the collector has stored. They run in the collector's process, except
  # that the dashboard serves the text that the collector has left in the folder of the segments.
  module Exporters
    # The gem that each needs; the setting is the key.
    GEMS = {prometheus: "prometheus-client", opentelemetry: "opentelemetry-exporter-otlp-metrics",
            statsd: "dogstatsd-ruby"}.freeze

    # @param store [#commit, #progress, #rollup, #prune, #close] of a collector
    # @param exports [Array<ConfigurationKeys::Export>] what is asked for
    # @param dir [String] folder of the segments
    # @param env [Hash{String => String}, ENV]
    # @param in_app [Boolean] whether the collector is a thread of an application
    # @param scaling [ScalingSignal, nil] which the exporters export too
    # @return [Object] the store, which exports what is committed to it. An exporter that can't be made is
    #   left out, and the log says why
    def self.around(store, exports, dir:, log:, clock: Clock.new, env: ENV, in_app: false, scaling: nil)
      options = {dir:, log:, clock:, env:, in_app:, scaling:}
      exporters = exports.filter_map { |export| exporter(export, **options) }
      exporters = [scaling, *exporters].compact
      exporters.empty? ? store : ExportingStore.new(store, exporters, log:)
    end

    def self.exporter(export, dir:, log:, clock:, env:, in_app:, scaling:)
      case export.key
      when :prometheus then Prometheus.new(export, dir:, log:, clock:, scaling:)
      when :opentelemetry then otlp(export, in_app, dir:, log:, clock:, env:, scaling:)
      when :statsd then Statsd.new(export, log:, clock:, scaling:)
      end
    rescue LoadError => error
      gem = GEMS.fetch(export.key)
      log.warn("config.#{export.key} needs the gem #{gem}, which can't be loaded (#{error.message}), so " \
        "nothing is exported: add `gem \"#{gem}\", require: false` to the Gemfile, or run " \
        "`gem install #{gem}`")
      nil
    rescue => error # a wrong variable, a certificate that is not there: the others go on
      log.warn("config.#{export.key} exports nothing: #{error.message}")
      nil
    end
    private_class_method :exporter

    # Its gem is the SDK of metrics: loaded into an application, it would export the metrics of the
    # application's own OpenTelemetry too.
    def self.otlp(export, in_app, **options)
      return Otlp.new(export, **options) unless in_app
      raise ArgumentError, "it would change the OpenTelemetry of this application, which the collector is " \
        "a thread of; set config.collector to :process, or run `holdup collect`"
    end
    private_class_method :otlp

    # The last text for Prometheus, or for autoscalers, in the folder of the segments. The collector leaves it
    # there for the dashboard, which runs in an application and must not talk to the network.
    class MetricsFile
      NAME = "metrics.prom"
      MOST_BYTES = 64 * 1024 * 1024

      # @param fresh_s [Numeric] older texts are not read
      def initialize(dir, name: NAME, fresh_s: Float::INFINITY)
        @directory = Segment::Directory.new(dir)
        @path = File.join(@directory.path, name)
        @fresh_s = fresh_s
      end

      # Readers see the old text or the new one.
      # @raise [SystemCallError]
      def write(text)
        flags = File::WRONLY | File::CREAT | File::TRUNC | File::NOFOLLOW
        File.open("#{@path}.new", flags, 0o600) { |file| file.write(text) }
        File.rename("#{@path}.new", @path)
      end

      # @return [String, nil] nil when no collector writes it
      def read
        return unless @directory.collected?
        File.open(@path, File::RDONLY | File::NOFOLLOW) do |file|
          file.read(MOST_BYTES).to_s unless earlier?(file)
        end
      rescue SystemCallError
        nil
      end

      def remove
        File.unlink(@path)
      rescue SystemCallError
        nil
      end

      private

      # Whether a collector left it that is dead, or that has had nothing to say for long. A collector writes
      # to the lock when it begins to lead.
      def earlier?(file)
        file.mtime < File.mtime(@directory.lock_path) || Time.now - file.mtime > @fresh_s
      end
    end
  end
end
