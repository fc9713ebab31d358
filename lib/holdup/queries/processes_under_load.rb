# frozen_string_literal: true

module Holdup
  module Queries
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

      # Threads outside of units also run while no unit does: of each window, they count for as much as units
      # were measured in it.
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
