# frozen_string_literal: true

require "delegate"

module Holdup
  module Export
    # Figures for other systems, from what the collector has stored. They run in the collector's process,
    # except that the dashboard serves the text that the collector has left in the folder of the segments.
    module Exporters
      # The gem that each needs; the setting is the key.
      GEMS = {prometheus: "prometheus-client", opentelemetry: "opentelemetry-exporter-otlp-metrics",
              statsd: "dogstatsd-ruby"}.freeze

      # @param store [#commit, #checkpoints, #clock_s, #rollup, #prune, #close] of a collector
      # @param exports [Array<ConfigurationKeys::Export>] what is asked for
      # @param dir [String] folder of the segments
      # @param env [Hash{String => String}, ENV]
      # @param in_app [Boolean] whether the collector is a thread of an application
      # @param scaling [Scaling::ScalingSignal, nil] which the exporters export too
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
        raise ArgumentError, "it would change the OpenTelemetry of this application, which the collector " \
          "is a thread of; set config.collector to :process, or run `holdup collect`"
      end
      private_class_method :otlp

      # The last text for Prometheus, or for autoscalers, in the folder of the segments. The collector leaves
      # it there for the dashboard, which runs in an application and must not talk to the network.
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

        # Whether a collector left it that is dead, or that has had nothing to say for long. A collector
        # writes to the lock when it begins to lead.
        def earlier?(file)
          file.mtime < File.mtime(@directory.lock_path) || Time.now - file.mtime > @fresh_s
        end
      end
    end

    module Exporters
      # A collector's store that hands each commit to its exporters, exactly once.
      #
      # A commit that failed may still have reached the store, because the answer of a server can get lost.
      # The collector then reads the stored checkpoints, which decide what it carries next. The checkpoints of
      # each commit are unique (they have the time of its round), so they also say whether that commit counts.
      #
      # A failure of an exporter reaches neither the collector nor another exporter.
      class ExportingStore < SimpleDelegator
        # A commit of unknown outcome. `deaths`: those that the store did not have before; `left_out`: rows
        # that the store rejected while it took the others
        PendingCommit = Data.define(:windows, :processes, :deaths, :checkpoints, :left_out) do
          # @param stored [Hash{String => String}] segment => checkpoint
          def in?(stored)
            return false if checkpoints.values.none?
            checkpoints.all? { |key, bytes| stored[key]&.b == bytes&.b }
          end

          # The owner of the checkpoints that it moves, see Store::Reader#checkpoints.
          def owner = checkpoints.keys.first.to_s[/\A\S+/]

          # @return [Array<Window>]
          def written_windows = windows - left_out

          # @return [Array<Hash>]
          def written_processes = processes - left_out
        end
        private_constant :PendingCommit

        # @param exporters [Array<#start, #add, #close>]
        def initialize(store, exporters, log:)
          super(store)
          @exporters = exporters
          @log = log
          @logged = {}
          @pending = {}
        end

        # A collector asks when it begins to lead, and after each failure.
        def checkpoints(host: nil)
          stored = super
          each_exporter(&:start)
          owners = host ? [host] : @pending.keys
          owners.each do |owner|
            pending = @pending.delete(owner)
            export(pending) if pending&.in?(stored)
          end
          stored
        end

        def commit(windows, checkpoints, processes: [], deaths: [], **rows, &bad_row)
          left_out = []
          pending = PendingCommit.new(windows:, processes:, deaths: unknown(deaths), checkpoints:, left_out:)
          @pending[pending.owner] = pending
          if bad_row
            super do |row, fault|
              left_out << row
              bad_row.call(row, fault)
            end
          else
            super
          end
          @pending.delete(pending.owner)
          export(pending)
          nil
        end

        def close
          each_exporter(&:close)
        ensure
          super
        end

        private

        # A store keeps one of each source, so an autopsy may be committed again, perhaps with another second.
        def unknown(deaths)
          return deaths if deaths.empty?
          first_s, last_s = deaths.map(&:at_s).minmax
          known = __getobj__.deaths(first_s - MINUTE_S, last_s + MINUTE_S).to_set(&:source)
          deaths.uniq(&:source).reject { |autopsy| known.include?(autopsy.source) }
        end

        def export(pending)
          each_exporter do |exporter|
            exporter.add(pending.written_windows, pending.written_processes, deaths: pending.deaths)
          end
        end

        def each_exporter
          @exporters.each do |exporter|
            yield exporter
          rescue => error
            failed(exporter, error)
          end
        end

        # Logs a failure until it changes.
        def failed(exporter, error)
          message = "exporting failed (#{error.class}: #{error.message}); the store has everything"
          @log.warn(message) unless message == @logged[exporter]
          @logged[exporter] = message
        end
      end
    end
  end
end
