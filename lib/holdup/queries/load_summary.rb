# frozen_string_literal: true

module Holdup
  module Queries
    # Reads a span of the store and adds it up.
    module LoadSummary
      module_function

      # @param store [Store::Sql]
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @param by [Symbol] one of Analysis::Grouping::BY
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
        every_s &&= Analysis::ProcessReport.every_s(*ChartedSpan.new(store).shown(from_s, to_s))
        {samples: store.processes(from_s, to_s + 1, every_s:), every_s:}.compact
      end

      # The same units once more are read only to be shown; by pool they say which threads could have taken
      # them.
      # @param by [Symbol] one of Analysis::Grouping::BY
      # @return [Array<Symbol>]
      def kinds(by)
        Series::KINDS - (Series::VIEWS - [:pool, by])
      end
      private_class_method :samples, :measured
    end
  end
end
