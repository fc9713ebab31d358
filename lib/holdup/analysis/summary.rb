# frozen_string_literal: true

module Holdup
  module Analysis
    # Everything a report says about a span of time, as values: rows, their total, the blame of the whole
    # process, the settings that were in force. Pure: windows in, figures out.
    class Summary
      TOTAL = Series.new(kind: :request, name: "(total)")

      attr_reader :from_s, :to_s, :filter, :by, :sort

      # @param windows [Enumerable<Holdup::Window>] of all kinds: the blame adds up only over everything that
      #   ran
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @param filter [UnitFilter] which units the rows and the total are about
      # @param by [Symbol] one of SeriesRow::Grouping::BY
      # @param sort [Symbol] a key of SeriesRow::Grouping::SORT
      # @param samples [Array<Hash>] of the processes in that span (Store#processes)
      # @param every_s [Integer] seconds between two samples of a process
      # @param stalls [#call, nil] see Ledger
      # @param coverage [MeasuredTime, nil] when such units were measured; nil: as far as the windows tell
      # @param loaded [#call, nil] gives the Processes while any units ran, read when it is asked for
      def initialize(windows, from_s:, to_s:, filter: UnitFilter.new, by: :name, sort: :stalled, samples: [], every_s: ProcessReport::EVERY_S, stalls: nil,
        coverage: nil, loaded: nil)
        @from_s = from_s
        @to_s = to_s
        @filter = filter
        @by = by
        @sort = sort
        @samples = samples
        @every_s = every_s
        @ledger = WindowTable.new(windows, stalls:)
        @coverage = coverage
        @loaded = loaded
        @entries = @ledger.entries.select { |entry| filter.setting?(entry.setting) }
      end

      # @return [Boolean] no unit was measured
      def empty? = total.count.zero?

      # @return [Array<SeriesRow>]
      def rows
        @rows ||= SeriesRow::Grouping.new(Series::VIEWS.include?(by) ? viewed : chosen, by:, sort:,
          settings: setting_names).rows
      end

      # All chosen units. With no filter, what nested units counted twice is taken off.
      # @return [SeriesRow]
      def total
        @total ||= SeriesRow.new(name: TOTAL.name, kind: unit_kind, queue: nil, window: total_window, settings: chosen.filter_map { |entry| entry.setting&.fingerprint }.uniq,
          queues: chosen.map { |entry| entry.series.queue }.uniq)
      end

      # @return [Blame] of whole processes, whatever else of them the filter leaves out; with one, of those
      #   whose setting ran chosen units, for the others (a web server beside a job runner) have GVLs of their
      #   own
      def blame
        @blame ||= Blame.of(beside([units, accounts, nested].flatten), handoff_ns:)
      end

      # @return [SettingDifferences::SettingLabels] of the chosen units
      def setting_names
        @setting_names ||= SettingDifferences::SettingLabels.new(chosen.filter_map(&:setting))
      end

      # @return [ApplicationShares] of the chosen units
      def applications
        ApplicationShares.of(chosen.map { |entry| [entry.setting, entry.window.count] })
      end

      # @return [Array<StallPairs::StallPair>] who stalled the chosen units, most stall first
      def pairs
        @pairs ||= StallPairs.new(@ledger.stalls { |setting| filter.setting?(setting) },
          victims: filter.method(:series?)).to_a
      end

      # @return [ProcessReport] as sampled
      def processes
        @processes ||= ProcessReport.new(@samples, from_s:, to_s:, every_s: @every_s, settings: settings_by_fingerprint,
          loaded: @loaded&.call, native_ratio: CpuCeiling.native_ratio((units + of_kind(:account)).map(&:window)))
      end

      # @return [JitReport] of all processes, whatever the filter leaves out
      def jits
        @jits ||= JitReport.new(@samples, settings: settings_by_fingerprint, every_s: @every_s)
      end

      # @param row [SeriesRow]
      # @return [Float, nil] see Capacity
      def capacity_share(row)
        (@capacity ||= PoolCpu::Capacity.new(processes.members, of_kind(:pool))).share(row)
      end

      # @return [Array<PoolCpu::PoolShare>] whose units used the CPU
      def pool_cpu
        @pool_cpu ||= PoolCpu.new(processes, @entries).lines
      end

      # @return [ConnectionWaits] waits of the chosen units for a database connection
      def connections
        @connections ||= ConnectionWaits.new(total:, settings: setting_names.settings, members: processes.members, samples: @samples, from_s:, to_s: measured_to_s,
          everyone: SeriesRow::Grouping.new(units, by: :name, sort: :wall, settings: setting_names).rows)
      end

      # @return [Symbol] :request or :job when all chosen units are, else :unit
      def unit_kind
        kinds = chosen.map { |entry| entry.series.kind }.uniq
        (kinds.size == 1 && kinds.first != :overflow) ? kinds.first : :unit
      end

      # @return [MeasuredTime] when such units were measured
      def coverage
        @coverage ||= MeasuredTime.whole([from_s, @ledger.first_s || from_s].max,
          [to_s, @ledger.last_s || to_s].min)
      end

      # @return [Integer] the second in which that begins
      def measured_from_s
        coverage.from_s&.floor || from_s
      end

      # @return [Integer] the second in which it ends
      def measured_to_s
        coverage.to_s&.ceil || to_s
      end

      # @return [Float] seconds that were measured
      def measured_s = coverage.total_s

      # A single unit has no rate.
      # @return [Float, nil] units per second while measured; nil where it was too short to tell
      def throughput(count = total.count)
        (total.count < 2) ? nil : coverage.rate(count)
      end

      # @return [Integer] units that found the series table full
      def overflowed
        of_kind(:overflow).sum { |entry| entry.window.count }
      end

      private

      def settings_by_fingerprint
        @entries.filter_map(&:setting).to_h { |setting| [setting.fingerprint, setting] }
      end

      def of_kind(*kinds)
        @entries.select { |entry| kinds.include?(entry.series.kind) }
      end

      def units
        @units ||= @entries.select { |entry| entry.series.unit? }
      end

      # Of these only the queue is known besides.
      def viewed
        of_kind(by).select { |entry| filter.queue.nil? || entry.series.queue == filter.queue }
      end

      def chosen
        @chosen ||= units.select { |entry| filter.series?(entry.series) }
      end

      def total_window
        window = WindowTable::WindowSum.sum(chosen.map(&:window), series: TOTAL)
        return window if filter.narrow? || nested.empty?
        WindowTable::WindowSum.subtract(window, WindowTable::WindowSum.sum(nested.map(&:window), series: TOTAL))
      end

      def nested = @nested ||= of_kind(:nested)

      def beside(entries)
        return entries unless filter.narrow? && chosen.any?
        settings = chosen.map(&:setting).uniq
        entries.select { |entry| settings.include?(entry.setting) }
      end

      def accounts
        of_kind(:account).reject { |entry| entry.series == Series::HANDOFF }
      end

      def handoff_ns
        beside(of_kind(:account)).sum { |entry| (entry.series == Series::HANDOFF) ? entry.window.sums[:caused_ns] : 0 }
      end
    end
  end
end
