# frozen_string_literal: true

module Holdup
  module Queries
    # Reads a span of time for a report: the windows first, then only the parts that the report names.
    #
    #   LoadSummary.call(store, from_s:, to_s:) { |summary| Report::ReportScreen.parts(summary) }
    module LoadSummary
      # Of a pair, only how long it waited matters; there are many.
      PAIR_TIME = {histograms: [], heads: [:stalled], numbers: []}.freeze

      module_function

      # @param view [Hash] sort, see Analysis::Summary
      # @param growth [Boolean] whether the part `heap_counts` can be asked for; else it is empty. It takes
      #   the counts of each step, so only advice and the table of memory look for what makes processes grow
      # @yieldparam summary [Analysis::Summary] with what was read so far
      # @yieldreturn [Array<Symbol>] parts that the report needs. It is asked until all were read, because
      #   what it needs may depend on what it learned. Without a block all of StoredParts::ALL are read
      # @return [Analysis::Summary]
      def call(store, from_s:, to_s:, by: :name, filter: Analysis::UnitFilter.new, growth: false, **view,
        &needed)
        windows = store.sums(from_s, to_s, kinds: kinds(by), by_host: by == :host).map(&:window)
        unread = Analysis::SummaryParts.unread
        unread = {**unread, heap_counts: Analysis::HeapGrowth::NO_COUNTS} unless growth
        summary = Analysis::Summary.new(windows, from_s:, to_s:, by:, filter:, **view, **unread)
        stored = StoredParts.new(store, windows, from_s:, to_s:, by:, filter:)
        needed ||= ->(_summary) { StoredParts::ALL }
        complete(summary, needed) { |part| stored.read(part) }
      end

      # @param needed [#call] see the block of `call`
      # @yieldparam part [Symbol] that was not read
      # @yieldreturn [Hash{Symbol => Object}] keywords for Analysis::Summary#with
      # @return [Analysis::Summary]
      def complete(summary, needed)
        loop do
          missing = needed.call(summary).uniq.reject { |part| summary.read?(part) }
          return summary if missing.empty?
          summary = missing.reduce(summary) { |known, part| known.with(**yield(part)) }
        end
      end

      def own_cost(store, from_s:, to_s:)
        windows = store.sums(from_s, to_s, kinds: [:account]).map(&:window)
        processes = Analysis::ProcessReport.new(store.processes(from_s, to_s + 1), from_s:, to_s:)
        OwnCost.new(windows, processes)
      end

      # The processes while any units ran, whatever the filter.
      # @param units [Array<Window>, nil] all units of the span; nil: they are read
      # @return [Analysis::ProcessReport, nil] nil without units
      def under_load(store, from_s:, to_s:, units: nil)
        ProcessesUnderLoad.call(store, MeasuredTimeQuery.call(store, from_s:, to_s:), units)
      end

      # By process or priority only for such rows; by pool always, to show which threads could run the units.
      def kinds(by)
        Series::KINDS - (Series::VIEWS - [:pool, by])
      end

      # Reads the parts of a summary.
      class StoredParts
        ALL = %i[samples coverage under_load pairs connection_pairs locks calls transactions holding_methods
          repeats slowest].freeze
        # Rows that are measured one after the other, and what names them.
        OWN_TIME = {
          setting: ->(setting) { setting.fingerprint },
          revision: ->(setting) { (setting["revision"] || Analysis::SeriesRow::Grouping::UNNAMED).to_s }
        }.freeze
        private_constant :OWN_TIME

        # @param windows [Array<Window>] of the span
        # @param by [Symbol] see Analysis::Summary
        def initialize(store, windows, from_s:, to_s:, by:, filter:)
          @store = store
          @by = by
          @windows = windows
          @from_s = from_s
          @to_s = to_s
          @filter = filter
        end

        # @param part [Symbol] of Analysis::SummaryParts
        # @return [Hash{Symbol => Object}] keywords for Analysis::Summary#with
        def read(part)
          case part
          when :samples then samples
          when :coverage then {coverage: measured_time(**measured), own_times:}
          when :under_load then {under_load: LoadSummary.under_load(@store, **span, units:)}
          when :pairs then {pairs: sums(:pair, **PAIR_TIME)}
          when :connection_pairs then {connection_pairs: sums(:pool_pair)}
          when :locks then {locks: sums(:lock_pair, :lock_place)}
          when :calls then {calls: sums(:call)}
          when :transactions then {transactions: sums(:transaction, :transaction_call)}
          when :holding_methods then {holding_methods: sums(:method)}
          when :repeats then {repeats: sums(:repeat)}
          when :heap_counts then {heap_counts:}
          when :slowest then {slowest: SlowestUnitsQuery.call(@store, **span, filter: @filter)}
          else raise ArgumentError, "no report has the part #{part}"
          end
        end

        private

        def span = {from_s: @from_s, to_s: @to_s}

        def units = @windows.select { |window| window.series.unit? }

        def sums(*kinds, **options) = @store.sums(@from_s, @to_s, kinds:, **options).map(&:window)

        # A long span with data all the time needs fewer samples than one a minute and process. Samples have
        # whole seconds: a process that ended just now has its last one in the second in which the span ends.
        def samples
          @samples ||= begin
            every_s = Analysis::ProcessReport.every_s(@from_s, @to_s)
            shown = RecordedInterval::ChartedSpan.new(@store).shown(@from_s, @to_s) if every_s
            every_s = Analysis::ProcessReport.every_s(*shown) if shown
            {samples: @store.processes(@from_s, @to_s + 1, every_s:), every_s:}.compact
          end
        end

        def heap_counts
          HeapCountsQuery.call(@store, **span, names: Analysis::HeapGrowth.most_frequent(units))
        end

        def measured_time(**units) = MeasuredTimeQuery.call(@store, **span, **units)

        # Processes that run such units count as measured also while they run others: an endpoint with two
        # requests an hour has no other time.
        def measured
          return {kinds:} unless @filter.name || @filter.queue || @filter.threads
          {kinds:, settings:}
        end

        # @return [Hash{String => Analysis::MeasuredTime}] see Analysis::SummaryParts; empty for other rows
        def own_times
          named = OWN_TIME[@by] or return {}
          groups = settings.compact.group_by(&named)
          groups.transform_values { |settings| measured_time(kinds:, settings:) }
        end

        def kinds = @filter.kind ? [@filter.kind] : Series::UNITS

        # @return [Array<Setting, nil>] of the chosen units
        def settings
          counted = units.select { |window| window.count.positive? && @filter.series?(window.series) }
          chosen = counted.select { |window| @filter.setting?(window.setting) }
          chosen.map(&:setting).uniq
        end
      end

      # Reads processes and their containers while units ran, for the CPU ceiling. Time without units is not
      # load, so all commands and pages get the same ceiling for a recording, whatever the span.
      module ProcessesUnderLoad
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
          ns = NS
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
