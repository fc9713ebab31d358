# frozen_string_literal: true

module Holdup
  # Figures for other systems, from what the collector has stored. They run in the collector's process, except
  # that the dashboard serves the text that the collector has left in the folder of the segments.
  module Exporters
    # @param store [#commit, #progress, #rollup, #prune, #close] of a collector
    # @param export [ConfigurationKeys::PrometheusExport, nil] nil: nothing is exported
    # @param dir [String] folder of the segments
    # @return [Object] the store, which exports what is committed to it. Without the exporter's gem it is
    #   unchanged, which the log says with what to install
    def self.around(store, export, dir:, log:, clock: Clock.new)
      return store unless export
      ExportingStore.new(store, Prometheus.new(export, dir:, log:, clock:), log:)
    rescue LoadError => error
      raise unless error.path.to_s.start_with?("prometheus")
      log.warn("config.prometheus needs the gem prometheus-client, which is not installed, so nothing is " \
        "exported: add `gem \"prometheus-client\"` to the Gemfile, or run `gem install prometheus-client`")
      store
    end

    # The last text for Prometheus, in the folder of the segments. The collector leaves it there for the
    # dashboard, which runs in an application and must not talk to the network.
    class MetricsFile
      NAME = "metrics.prom"
      MOST_BYTES = 64 * 1024 * 1024

      def initialize(dir)
        @directory = Segment::Directory.new(dir)
        @path = File.join(@directory.path, NAME)
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

      # Whether a collector left it that is dead. A collector writes to the lock when it begins to lead.
      def earlier?(file)
        file.mtime < File.mtime(@directory.lock_path)
      end
    end
  end
end
