# frozen_string_literal: true

module Holdup
  module Queries
    # Reads a span of the store and adds it up.
    module LoadSummary
      module_function

      # @param store [Store::Sql]
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @param by [Symbol] one of Analysis::SeriesRow::Grouping::BY
      # @param view [Hash] filter and sort, see Analysis::Summary
      # @return [Analysis::Summary]
      def call(store, from_s:, to_s:, by: :name, filter: Analysis::UnitFilter.new, **view)
        kinds = kinds(by)
        stalls = -> { store.stalls(from_s, to_s, kinds: kinds - Series::VIEWS) }
        windows = store.sums(from_s, to_s, kinds:).map(&:window)
        coverage = MeasuredTimeQuery.call(store, from_s:, to_s:, **measured(windows, filter))
        loaded = loaded(store, from_s:, to_s:)
        Analysis::Summary.new(windows, **samples(store, from_s, to_s), from_s:, to_s:, by:, filter:, stalls:,
          coverage:, loaded:, **view)
      end

      # @param store [Store::Sql]
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @return [Analysis::OwnCost]
      def own_cost(store, from_s:, to_s:)
        windows = store.sums(from_s, to_s, kinds: [:account]).map(&:window)
        processes = Analysis::ProcessReport.new(store.processes(from_s, to_s + 1), from_s:, to_s:)
        Analysis::OwnCost.new(windows, processes)
      end

      # @param store [Store::Sql]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @return [Proc] for Analysis::Summary: reads the processes while any units ran, whatever is filtered
      def loaded(store, from_s:, to_s:)
        -> { ProcessesUnderLoad.call(store, MeasuredTimeQuery.call(store, from_s:, to_s:)) }
      end

      # What runs such units is measured also while it runs others: an endpoint that is asked for twice an
      # hour has no other time.
      # @param windows [Array<Window>]
      # @param filter [Analysis::UnitFilter]
      # @return [Hash{Symbol => Object}] whose time it is, see MeasuredTimeQuery
      def measured(windows, filter)
        kinds = filter.kind ? [filter.kind] : Series::UNITS
        return {kinds:} unless filter.name || filter.queue || filter.threads
        units = windows.select { |window| window.series.unit? && window.count.positive? }
        chosen = units.select { |window| filter.series?(window.series) && filter.setting?(window.setting) }
        {kinds:, settings: chosen.map(&:setting).uniq}
      end

      # A sample a minute and process is more than a long span needs that has data all the time, and most of
      # what there would be to read. They are of whole seconds: the last look at a process that ended just now
      # is of the second in which the span ends.
      def samples(store, from_s, to_s)
        every_s = Analysis::ProcessReport.every_s(from_s, to_s)
        every_s &&= Analysis::ProcessReport.every_s(*RecordedInterval::ChartedSpan.new(store).shown(from_s, to_s))
        {samples: store.processes(from_s, to_s + 1, every_s:), every_s:}.compact
      end

      # The same units once more are read only to be shown; by pool they say which threads could have taken
      # them.
      # @param by [Symbol] one of Analysis::SeriesRow::Grouping::BY
      # @return [Array<Symbol>]
      def kinds(by)
        Series::KINDS - (Series::VIEWS - [:pool, by])
      end
      private_class_method :samples, :measured

      # Reads processes and their container while units ran: what the CPU ceiling is made from. What they did
      # before and afterwards is no load, so every command and page has the same ceiling of a recording,
      # whatever span it was asked for.
      module ProcessesUnderLoad
        MINUTE_S = Analysis::ProcessReport::EVERY_S
        THREADS = Series.new(kind: :account, name: "(all)")

        module_function

        # @param store [Store::Sql]
        # @param coverage [Analysis::MeasuredTime] of all units
        # @return [Analysis::ProcessReport, nil] as they were in these 48 hours at most; nil where no unit ran
        def call(store, coverage)
          return if coverage.empty?
          to_s = coverage.to_s.ceil
          from_s = [coverage.from_s.floor, to_s - Analysis::ProcessReport::KEPT_S].max
          units = store.sums(coverage.from_s.floor, to_s, kinds: Series::UNITS, histograms: []).map(&:window)
          native_ratio = Analysis::CpuCeiling.native_ratio(units + threads(store, coverage))
          Analysis::ProcessReport.new(samples(store, from_s, to_s), from_s:, to_s:, every_s: every_s(from_s, to_s),
            native_ratio:, settings: settings(units))
        end

        # Threads outside of units also run while no unit does: of each window, they count for as much as
        # units were measured in it.
        def threads(store, coverage)
          span = RecordedInterval::Interval.new(from_s: coverage.from_s.floor, to_s: coverage.to_s.ceil)
          sums = store.sums(*span.to_h.values, step_s: span.window_s, kinds: [:account], together: THREADS,
            histograms: [])
          sums.map(&:window).map do |window|
            share = coverage.seconds(window.start_s, window.end_s).fdiv(window.seconds)
            window.with(sums: window.sums.transform_values { |sum| (sum * share).round })
          end
        end

        # There is one a minute, so the nearest ones outside are within a minute.
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
  end
end
