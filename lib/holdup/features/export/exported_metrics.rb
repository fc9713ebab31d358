# frozen_string_literal: true

module Holdup
  module Export
    # The metrics of every exporter, with their names: what this collector has stored since it began to lead.
    # A collector that takes over begins at 0; otherwise counters only grow, however workers come and go.
    class ExportedMetrics
      # One figure with a value for each label set, under the name that Prometheus has for it.
      #
      # - `type`: :counter, :gauge or :histogram; `values`: {labels => Numeric}, of a histogram what its
      #   Figures make of it
      ExportedMetric = Data.define(:name, :type, :help, :values) do
        # @return [String] "ruby.gvl.time" for ruby_gvl_time_seconds_total
        def dotted_name
          plain = name.to_s.delete_suffix("_total").delete_suffix("_seconds").delete_suffix("_bytes")
          space = ExportedMetrics::NAMESPACES.find { |each| plain == each || plain.start_with?("#{each}_") }
          rest = plain.delete_prefix(space).delete_prefix("_")
          "#{space.tr("_", ".")}.#{rest.empty? ? "time" : rest}"
        end

        # @return [String] of the Unified Code for Units of Measure
        def unit
          case name.to_s.delete_suffix("_total")
          when /_per_second\z/ then "1/s"
          when /_seconds\z/ then "s"
          when /_bytes\z/ then "By"
          when /([a-z]+)\z/ then "{#{Regexp.last_match(1)}}"
          end
        end
      end
      # Beginnings of names, the longest first.
      NAMESPACES = %w[holdup_exporter holdup ruby_gvl ruby_gc ruby_yjit ruby_memory ruby_cpu ruby].freeze

      # @return [SeriesTotals]
      attr_reader :totals

      # @param export [ConfigurationKeys::Export]
      # @param receiver [String] for the log
      # @param figures [Class] of SeriesTotals
      # @param scaling [Scaling::ScalingSignal, nil] whose gauges are exported too
      def initialize(export, receiver, log:, clock:, figures: SeriesTotals::ExponentialFigures, scaling: nil)
        @export = export
        @receiver = receiver
        @log = log
        @clock = clock
        @totals = SeriesTotals.new(limit: export.series, labels: export.labels, figures:)
        @pairs = PairTotals.new if export.pairs
        @processes = ProcessFigures.new(since_s: clock.realtime_s)
        @deaths = DeathTotals.new
        @scaling = scaling
        @settings = {}
      end

      # Adds what was stored in one commit, and says once that names were dropped.
      # @param windows [Array<Window>]
      # @param samples [Array<Hash>] of processes
      # @param deaths [Array<Autopsy>] that the store did not have before
      def add(windows, samples, deaths: [])
        windows.each do |window|
          know(window)
          @totals.add(window)
        end
        add_pairs(windows.select { |window| window.series.kind == :pair })
        samples.each { |sample| add_sample(sample) }
        deaths.each { |autopsy| @deaths.add(autopsy, labels_of_dead(autopsy)) }
        @stored_s = @clock.realtime_s
        warn_of_dropped
      end

      # @return [Array<ExportedMetric>] those that have values
      def metrics = all.reject { |metric| metric.values.empty? }

      # @return [Array<ExportedMetric>]
      def all
        units = @totals.units.select { |_, figures| figures.units? }
        [*histograms(units), *times, *counters(ExportedFigures::COUNTERS, @totals.units),
          *counters(ExportedFigures::UNIT_COUNTERS, units), *others(units), *calls, *pairs, *processes,
          deaths, *scaling, *own]
      end

      private

      def know(window)
        setting = window.setting
        return if @settings.key?(setting.fingerprint)
        @settings[setting.fingerprint] = setting
        @deaths.know(@totals.labels_of(setting, window.host))
      end

      # A process may have died before it measured anything, and its setting is not known then.
      def labels_of_dead(autopsy)
        setting = @settings[autopsy.setting] || Setting.new(attributes: {server: autopsy.server})
        @totals.labels_of(setting, autopsy.host)
      end

      def add_pairs(windows)
        @pairs&.add(windows) { |window| @totals.labels_of(window.setting, window.host) }
      end

      def add_sample(sample)
        setting = @settings[sample[:setting]] or return
        @processes.add(sample, @totals.labels_of(setting, sample[:host]))
      end

      def warn_of_dropped
        return if @warned || @totals.dropped.zero?
        @warned = true
        @log.warn("#{@receiver} gets no more than #{@export.series} names of requests and jobs: " \
          "further ones are added up as #{SeriesTotals::OTHER}; raise `series` in config.#{@export.key}, " \
          "or leave out labels")
      end

      def histograms(units)
        ExportedFigures::HISTOGRAMS.map do |name, (key, help)|
          values = units.transform_values { |figures| figures.histogram(key) }
          ExportedMetric.new(name:, type: :histogram, help:, values:)
        end
      end

      def times
        [
          counter(:ruby_gvl_time_seconds_total, by_state(@totals.units)),
          counter(:ruby_gvl_nested_seconds_total, by_state(@totals.nested))
        ]
      end

      def by_state(table)
        table.each_with_object({}) do |(labels, figures), values|
          seconds = ExportedFigures.by_state(figures.sums)
          seconds.each { |state, spent| values[{**labels, state:}] = spent }
        end
      end

      def counters(wanted, table)
        wanted.map do |name, (key, help)|
          scale = ExportedFigures.scale(name)
          sums = table.transform_values { |figures| figures.sums[key] }
          counter(name, (scale == 1) ? sums : sums.transform_values { |sum| sum.fdiv(scale) }, help)
        end
      end

      def others(units)
        errors = units.transform_values(&:errors)
        handoff = @totals.handoff.transform_values { |figures| figures.sums[:caused_ns].fdiv(NS) }
        [
          counter(:ruby_gvl_errors_total, errors),
          counter(:ruby_gvl_handoff_seconds_total, handoff)
        ]
      end

      def calls
        help = "Time of calls to other systems by part: remote is the wait for the answer, stalled that " \
          "for the GVL, gc garbage collection, ruby the library that calls."
        counts = @totals.calls.transform_values { |figures| figures.counts[:wall] }
        parts = @totals.calls.each_with_object({}) do |(labels, figures), values|
          sums = figures.sums
          ns = {remote: sums[:idle], stalled: sums[:stalled], gc: sums[:gc_ns],
                ruby: sums[:running] - sums[:gc_ns]}
          ns.each { |part, sum| values[{**labels, part:}] = sum.fdiv(NS) }
        end
        [counter(:ruby_gvl_calls_total, counts, "Calls of requests and jobs to other systems."),
          counter(:ruby_gvl_call_seconds_total, parts, help)]
      end

      def pairs
        return [] unless @pairs
        help = "Time for which the victim waited for the GVL while the holder had it."
        [counter(:holdup_pair_seconds_total, @pairs.sums.transform_values { |ns| ns.fdiv(NS) }, help)]
      end

      def processes
        gauges = ExportedFigures::PROCESS_GAUGES.map do |name, figure|
          gauge(name, figure.help, @processes.gauge(figure))
        end
        counters = ExportedFigures::PROCESS_COUNTERS.map do |name, figure|
          counter(name, @processes.counter(name), figure.help)
        end
        [gauge(:ruby_processes, "Measured processes.", @processes.processes), *gauges, *counters]
      end

      def deaths
        counter(:holdup_process_deaths_total, @deaths.counts, "Processes that died, by how.")
      end

      def scaling
        @scaling ? @scaling.gauges.map { |name, help, values| gauge(name, help, values) } : []
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

      def counter(name, values, help = ExportedFigures::HELP.fetch(name))
        ExportedMetric.new(name:, type: :counter, help:, values:)
      end

      def gauge(name, help, values) = ExportedMetric.new(name:, type: :gauge, help:, values:)
    end

    # What has changed since a receiver last got the figures. What it did not get is in the next difference.
    class ExportedMetrics::Delivery
      def initialize
        @values = {}
      end

      # @param metrics [Array<ExportedMetric>]
      # @return [Array<ExportedMetric>] counters and histograms by how much they have grown, without those
      #   that have not; gauges as they are
      def difference(metrics)
        differences = metrics.map { |metric| (metric.type == :gauge) ? metric : grown(metric) }
        differences.reject { |metric| metric.values.empty? }
      end

      # @param metrics [Array<ExportedMetric>] what the receiver has now
      def delivered(metrics)
        @values = metrics.to_h { |metric| [metric.name, metric.values] }
      end

      private

      def grown(metric)
        delivered = @values.fetch(metric.name, {})
        values = metric.values.each_with_object({}) do |(labels, value), grown|
          before = delivered[labels]
          next if same?(value, before)
          grown[labels] = before ? value - before : value
        end
        metric.with(values:)
      end

      # A difference of histograms is not cheap.
      def same?(value, before)
        value.is_a?(Histogram) ? value.count == before&.count.to_i : value == (before || 0)
      end
    end
  end
end
