# frozen_string_literal: true

require "prometheus/client/formats/text"

module Holdup
  module Exporters
    # Figures for Prometheus: what this collector has stored since it began to lead. A collector that takes
    # over begins at 0, which rate() and increase() recognise; otherwise counters only grow, however workers
    # come and go.
    #
    # The text is made after each commit by the collector's own thread, so its cost counts as the collector's,
    # and no scrape can cause more of it.
    class Prometheus
      NS = 1_000_000_000
      # State of a thread => where its sum is. They add up to the elapsed time of requests and jobs. Of other
      # threads the CPU time is unknown, so their time with the GVL is "running".
      STATES = {cpu: :cpu_ns, starved: :starved_ns, stalled: :stalled, io: :io_ns, lock: :lock_ns,
                sleep: :sleep_ns, native: :native_ns}.freeze
      # Of requests and jobs.
      HISTOGRAMS = {
        ruby_gvl_duration_seconds: [:wall, "Time that a request or job took."],
        ruby_gvl_queued_seconds: [:queued, "Time until a thread took the request or job."],
        ruby_gvl_stalled_seconds: [:stalled, "Time for which a request or job waited for the GVL."]
      }.freeze
      # Of requests, jobs and other threads.
      COUNTERS = {
        ruby_gvl_gc_seconds_total: [:gc_ns, "Garbage collection while holding the GVL."],
        ruby_gvl_caused_seconds_total: [:caused_ns, "Time for which others stalled while this held the GVL."],
        ruby_gvl_acquisitions_total: [:acquisitions, "How often the GVL was taken."],
        ruby_gvl_preemptions_total: [:preemptions, "How often the GVL was lost to the time slice."]
      }.freeze
      # Of requests and jobs.
      UNIT_COUNTERS = {
        ruby_gvl_connection_wait_seconds_total: [:pool_wait_ns, "Time of waiting for a database connection."],
        ruby_gvl_connection_held_seconds_total: [:pool_held_ns, "Time of keeping database connections."]
      }.freeze

      # What prometheus-client's formatter takes.
      MetricFamily = Data.define(:name, :type, :docstring, :values)
      FamilyList = Data.define(:metrics)
      private_constant :MetricFamily, :FamilyList

      # @param export [ConfigurationKeys::PrometheusExport]
      # @param dir [String] folder of the segments
      def initialize(export, dir:, log:, clock:)
        @export = export
        @log = log
        @clock = clock
        @totals = SeriesTotals.new(limit: export.series, labels: export.labels)
        @processes = ProcessFigures.new(since_s: clock.realtime_s)
        @settings = {}
        @refusals = 0
        @file = MetricsFile.new(dir)
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
      def add(windows, samples)
        windows.each do |window|
          @settings[window.setting.fingerprint] ||= window.setting
          @totals.add(window)
        end
        samples.each { |sample| add_sample(sample) }
        @stored_s = @clock.realtime_s
        warn_of_dropped
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

      def add_sample(sample)
        setting = @settings[sample[:setting]] or return
        @processes.add(sample, @totals.labels_of(setting, sample[:host]))
      end

      def warn_of_dropped
        return if @warned || @totals.dropped.zero?
        @warned = true
        @log.warn("Prometheus gets no more than #{@export.series} names of requests and jobs: " \
          "further ones are added up as #{SeriesTotals::OTHER}; raise `series` in config.prometheus, " \
          "or leave out labels")
      end

      def families
        units = @totals.units.select { |_, figures| figures.units? }
        found = [*histograms(units), *times, *counters(COUNTERS, @totals.units),
          *counters(UNIT_COUNTERS, units), *others(units), *processes, *own]
        found.reject { |family| family.values.empty? }
      end

      def histograms(units)
        own = HISTOGRAMS.map { |name, (key, help)| histogram(name, key, help, units) }
        [
          *own,
          histogram(:rack_queue_duration_seconds, :queued, "Queue time of requests.", @totals.rack),
          histogram(:sidekiq_queue_latency_seconds, :queued, "Queue time of Sidekiq's jobs.", @totals.sidekiq)
        ]
      end

      def histogram(name, key, help, table)
        MetricFamily.new(name:, type: :histogram, docstring: help,
          values: table.transform_values { |figures| figures.histogram(key) })
      end

      def times
        help = "Time of requests, jobs and other threads by state: cpu, starved and running hold the GVL, " \
          "stalled waits for it, the others need none."
        nested = "The part of ruby_gvl_time_seconds_total that is in it twice: a request or job ran inside " \
          "another."
        [
          counter(:ruby_gvl_time_seconds_total, help, by_state(@totals.units)),
          counter(:ruby_gvl_nested_seconds_total, nested, by_state(@totals.nested))
        ]
      end

      def by_state(table)
        table.each_with_object({}) do |(labels, figures), values|
          sums = figures.sums
          STATES.each { |state, key| values[{**labels, state:}] = sums[key].fdiv(NS) }
          running_ns = sums[:running] - sums[:cpu_ns] - sums[:starved_ns]
          values[{**labels, state: :running}] = running_ns.fdiv(NS) if running_ns.positive?
        end
      end

      def counters(wanted, table)
        wanted.map do |name, (key, help)|
          scale = name.end_with?("_seconds_total") ? NS : 1
          sums = table.transform_values { |figures| figures.sums[key] }
          counter(name, help, (scale == 1) ? sums : sums.transform_values { |sum| sum.fdiv(scale) })
        end
      end

      def others(units)
        errors = units.transform_values(&:errors)
        handoff = @totals.handoff.transform_values { |figures| figures.sums[:caused_ns].fdiv(NS) }
        [
          counter(:ruby_gvl_errors_total, "Requests and jobs that failed.", errors),
          counter(:ruby_gvl_handoff_seconds_total, "Stall while no thread held the GVL.", handoff)
        ]
      end

      def processes
        gauges = ProcessFigures::GAUGES.map do |name, figure|
          gauge(name, figure.help, @processes.gauge(figure))
        end
        counters = ProcessFigures::COUNTERS.map do |name, figure|
          counter(name, figure.help, @processes.counter(name))
        end
        [gauge(:ruby_processes, "Measured processes.", @processes.processes), *gauges, *counters]
      end

      def own
        series = @totals.units.size
        stored = @stored_s ? {{} => @stored_s} : {}
        [
          gauge(:holdup_exporter_series, "Label sets of requests, jobs and threads.", {{} => series}),
          gauge(:holdup_exporter_dropped_series, "Label sets that are added up as #{SeriesTotals::OTHER}.",
            {{} => @totals.dropped}),
          gauge(:holdup_exporter_last_commit_timestamp_seconds, "When the collector last stored something.",
            stored)
        ]
      end

      def counter(name, docstring, values) = MetricFamily.new(name:, type: :counter, docstring:, values:)

      def gauge(name, docstring, values) = MetricFamily.new(name:, type: :gauge, docstring:, values:)
    end
  end
end
