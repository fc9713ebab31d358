# frozen_string_literal: true

module Holdup
  module Queries
    module LoadSummary
      module_function

      # The stall of the windows of more hosts is read added up over hosts.
      MANY_HOSTS = 4
      # Longest span => length in seconds of the windows that are added up then.
      STALLS_S = {6 * 3600 => 300, 7 * 86_400 => 3600, Float::INFINITY => 86_400}.freeze
      # Rows that are measured one after the other, and what names them.
      OWN_TIME = {
        setting: ->(setting) { setting.fingerprint },
        revision: ->(setting) { (setting["revision"] || Analysis::SeriesRow::Grouping::UNNAMED).to_s }
      }.freeze
      private_constant :MANY_HOSTS, :STALLS_S, :OWN_TIME

      # @param view [Hash] sort, see Analysis::Summary
      def call(store, from_s:, to_s:, by: :name, filter: Analysis::UnitFilter.new, **view)
        windows = store.sums(from_s, to_s, kinds: kinds(by), by_host: by == :host).map(&:window)
        found = nil
        samples = -> { found ||= samples(store, from_s, to_s) }
        stalls = -> { stalls(store, from_s, to_s, hosts: hosts(samples.call)) }
        read = %i[call method repeat].to_h do |kind|
          [kind, -> { store.sums(from_s, to_s, kinds: [kind]).map(&:window) }]
        end
        coverage = -> { MeasuredTimeQuery.call(store, from_s:, to_s:, **measured(windows, filter)) }
        own_times = own_times(store, windows, by, filter, from_s:, to_s:)
        Analysis::Summary.new(windows, from_s:, to_s:, by:, filter:, stalls:, coverage:, own_times:,
          calls: read[:call], methods: read[:method], repeats: read[:repeat],
          loaded: loaded(store, from_s:, to_s:, units: windows.select { |window| window.series.unit? }),
          samples:, **view)
      end

      # @param hosts [Integer] how many there are
      # @return [Enumerable<Store::WindowStall>] of each host, or of all together
      def stalls(store, from_s, to_s, hosts:)
        kinds = Series::KINDS - Series::VIEWS
        return store.stalls(from_s, to_s, kinds:) if hosts <= MANY_HOSTS
        step_s = STALLS_S.find { |longest_s, _| to_s - from_s <= longest_s }.last
        store.stall_sums(from_s, to_s, step_s:, kinds:)
      end

      def own_cost(store, from_s:, to_s:)
        windows = store.sums(from_s, to_s, kinds: [:account]).map(&:window)
        processes = Analysis::ProcessReport.new(store.processes(from_s, to_s + 1), from_s:, to_s:)
        OwnCost.new(windows, processes)
      end

      # For Analysis::Summary: reads the processes while any units ran, whatever the filter.
      # @param units [Array<Window>, nil] all units of the span; nil: they are read
      def loaded(store, from_s:, to_s:, units: nil)
        -> { ProcessesUnderLoad.call(store, MeasuredTimeQuery.call(store, from_s:, to_s:), units) }
      end

      # By process or priority only for such rows; by pool always, to show which threads could run the units.
      def kinds(by)
        Series::KINDS - (Series::VIEWS - [:pool, by])
      end

      # Processes that run such units count as measured also while they run others: an endpoint with two
      # requests an hour has no other time.
      def measured(windows, filter)
        return {kinds: kinds_of(filter)} unless filter.name || filter.queue || filter.threads
        {kinds: kinds_of(filter), settings: settings(windows, filter)}
      end

      # @return [Hash{String => Analysis::MeasuredTime}] see Analysis::Summary; empty for other rows
      def own_times(store, windows, by, filter, from_s:, to_s:)
        named = OWN_TIME[by] or return {}
        groups = settings(windows, filter).compact.group_by(&named)
        groups.transform_values do |settings|
          MeasuredTimeQuery.call(store, from_s:, to_s:, kinds: kinds_of(filter), settings:)
        end
      end

      def kinds_of(filter) = filter.kind ? [filter.kind] : Series::UNITS

      # @return [Array<Setting, nil>] of the chosen units
      def settings(windows, filter)
        units = windows.select { |window| window.series.unit? && window.count.positive? }
        chosen = units.select { |window| filter.series?(window.series) && filter.setting?(window.setting) }
        chosen.map(&:setting).uniq
      end

      # A long span with data all the time needs fewer samples than one a minute and process. Samples have
      # whole seconds: a process that ended just now has its last one in the second in which the span ends.
      def samples(store, from_s, to_s)
        every_s = Analysis::ProcessReport.every_s(from_s, to_s)
        shown = RecordedInterval::ChartedSpan.new(store).shown(from_s, to_s) if every_s
        every_s = Analysis::ProcessReport.every_s(*shown) if shown
        {samples: store.processes(from_s, to_s + 1, every_s:), every_s:}.compact
      end

      def hosts(samples)
        samples[:samples].map { |sample| sample[:host] }.uniq.size
      end
      private_class_method :samples, :hosts, :measured, :own_times, :kinds_of, :settings

      # Reads processes and their containers while units ran, for the CPU ceiling. Time without units is not
      # load, so all commands and pages get the same ceiling for a recording, whatever the span.
      module ProcessesUnderLoad
        MINUTE_S = Analysis::ProcessReport::EVERY_S
        THREADS = Series.new(kind: :account, name: "(all)")

        module_function

        # @param coverage [Analysis::MeasuredTime] of all units
        # @param units [Array<Window>, nil] all of them; nil: they are read
        # @return [Analysis::ProcessReport, nil] of the last 48 hours at most; nil without units
        def call(store, coverage, units = nil)
          return if coverage.empty?
          to_s = coverage.to_s.ceil
          from_s = [coverage.from_s.floor, to_s - Analysis::ProcessReport::KEPT_S].max
          units ||= store.sums(coverage.from_s.floor, to_s, kinds: Series::UNITS, histograms: [])
            .map(&:window)
          native_ratio = Analysis::CpuCeiling.native_ratio(units + threads(store, coverage))
          Analysis::ProcessReport.new(samples(store, from_s, to_s), from_s:, to_s:,
            every_s: every_s(from_s, to_s), native_ratio:, settings: settings(units))
        end

        # Other threads run without units too: a window counts for the share in which units were measured.
        def threads(store, coverage)
          interval = RecordedInterval::Interval.new(from_s: coverage.from_s.floor, to_s: coverage.to_s.ceil)
          sums = store.sums(interval.from_s, interval.to_s, step_s: interval.window_s, kinds: [:account],
            together: THREADS, histograms: [])
          sums.map(&:window).map do |window|
            share = coverage.seconds(window.start_s, window.end_s).fdiv(window.seconds)
            window.with(sums: window.sums.transform_values { |sum| (sum * share).round })
          end
        end

        # Samples come once a minute, so the nearest ones outside of the span are within a minute.
        def samples(store, from_s, to_s)
          every_s = Analysis::ProcessReport.every_s(from_s, to_s)
          store.processes(from_s - MINUTE_S, to_s + MINUTE_S + 1, **{every_s:}.compact)
        end

        def every_s(from_s, to_s)
          Analysis::ProcessReport.every_s(from_s, to_s) || MINUTE_S
        end

        def settings(windows)
          windows.filter_map(&:setting).uniq.to_h { |setting| [setting.fingerprint, setting] }
        end
        private_class_method :threads, :samples, :every_s, :settings
      end
    end

    module LoadSummary
      # What Holdup itself used in a span: its threads in the measured processes, the collector, the memory of
      # segments. What measuring adds to each unit is part of the unit's own time; bin/bench measures it.
      class OwnCost
        OURS = "thread:holdup"

        def initialize(windows, processes)
          @windows = windows.select { |window| window.series.name.start_with?(OURS) }
          @processes = processes
        end

        def known?
          @windows.any? || !collector_cpu_share.nil?
        end

        # Share of the time of a process, on average, in which a thread of Holdup held the GVL.
        def held_share
          seconds = @processes.members.sum(&:seconds)
          ns = Analysis::ProcessReport::SampleTrail::NS
          held_ns.fdiv(seconds * ns) if @windows.any? && seconds.positive?
        end

        def caused_ns
          @windows.any? ? @windows.sum { |window| window.sums[:caused_ns] } : nil
        end

        def collector_cpu_share
          sum(:collector_cpu_share)
        end

        def collector_bytes = sum(:collector_bytes)

        def segment_bytes = sum(:segment_bytes)

        private

        def held_ns
          @windows.sum { |window| window.histograms[:running].sum }
        end

        def sum(key)
          known = @processes.machines.filter_map(&key)
          known.sum if known.any?
        end
      end
    end
  end
end
