# frozen_string_literal: true

module Holdup
  module Analysis
    # Everything a report says about a span of time, computed from what was read of it (SummaryParts).
    class Summary
      TOTAL = Series.new(kind: :request, name: "(total)")

      # An answer needs a part that was not read: whoever reads has to name it.
      class NotRead < StandardError
        def initialize(part)
          super("the part #{part} of the summary was not read; name it where the summary is read")
        end
      end

      attr_reader :from_s, :to_s, :filter, :by, :sort

      # @param windows [Enumerable<Holdup::Window>] of all kinds: blame adds up only over all that ran
      # @param by [Symbol] one of SeriesRow::Grouping::BY
      # @param sort [Symbol] a key of SeriesRow::Grouping::SORT
      # @param parts [Hash] of SummaryParts; those left out have nothing in them
      def initialize(windows, from_s:, to_s:, filter: UnitFilter.new, by: :name, sort: :stalled, **parts)
        @from_s = from_s
        @to_s = to_s
        @filter = filter
        @by = by
        @sort = sort
        @parts = SummaryParts.new(**parts)
        @windows = windows.to_a
        @table = WindowTable.new(@windows, by_host: by == :host)
        @entries = @table.entries.select { |entry| filter.setting?(entry.setting) }
      end

      # @param parts [Array<Symbol>] of SummaryParts
      # @return [Boolean] whether all of them were read
      def read?(*parts) = parts.all? { |part| @parts.read?(part) }

      # @param parts [Hash] of SummaryParts, which were not read before
      # @return [Summary] with these parts too. It keeps what was computed, which needed none of them
      def with(**parts)
        dup.tap { |summary| summary.add(parts) }
      end

      def empty? = chosen.all? { |entry| entry.window.count.zero? }

      def rows
        @rows ||= begin
          entries = Series::VIEWS.include?(by) ? view_entries : chosen
          SeriesRow::Grouping.new(entries, by:, sort:, settings: setting_names).rows
        end
      end

      # All chosen units. With no filter, what nested units counted twice is taken off.
      def total
        @total ||= SeriesRow.new(name: TOTAL.name, kind: unit_kind, queue: nil, window: total_window,
          settings: chosen.filter_map { |entry| entry.setting&.fingerprint }.uniq,
          queues: chosen.map { |entry| entry.series.queue }.uniq, entries: chosen,
          nested: filter.narrow? ? [] : nested)
      end

      # Blame of whole processes, also of units that the filter leaves out. With a filter, only of processes
      # whose setting ran chosen units: others have their own GVLs.
      def blame
        @blame ||= Blame.of(of_same_processes([*units, *accounts, *nested]), handoffs:)
      end

      # Objects that units allocate, also of processes' other units: their objects are taken off.
      def allocations
        @allocations ||= Allocations.new([*units, *accounts, *nested])
      end

      # Whether the filter leaves out requests or jobs of the same processes.
      def leaves_out? = of_same_processes(units).size > chosen.size

      # Names of the settings of the chosen units.
      def setting_names
        @setting_names ||= SettingDifferences::SettingLabels.new(chosen.filter_map(&:setting))
      end

      def applications
        ApplicationShares.of(chosen.map { |entry| [entry.setting, entry.window.count] })
      end

      # Who stalled the chosen units; without a filter, threads outside of units, too.
      # @return [Array<StallPairs::StallPair>] most stall first
      def pairs
        @pairs ||= filter.narrow? ? stall_pairs.of_victims(chosen_names) : stall_pairs.to_a
      end

      # Whether it is known whom the chosen units waited for: they waited, or there is nothing to know. Time
      # that was recorded before pairs were measured has none.
      def pairs_recorded? = pairs.any? || chosen.sum { |entry| entry.window.stalled_ns }.zero?

      # Whom each waited for in the larger part of its stall.
      # @return [Hash{String => StallPairs::StallPair}] by the victim's name; without those of whom no named
      #   holder stands out
      def main_pairs
        @main_pairs ||= begin
          largest = pairs.select(&:named?).uniq(&:victim)
          main = largest.select { |pair| pair.share >= StallVerdict::ONE_CAUSE }
          main.to_h { |pair| [pair.victim.name, pair] }
        end
      end

      # What a holder does while others wait for it, also one that the filter leaves out.
      # @param party [StallPairs::Party]
      # @return [HolderPlace, nil]
      def holder_place(party)
        @holder_places ||= {}
        @holder_places.fetch(party.name) do |name|
          @holder_places[name] = HolderPlace.of(name, methods: windows_of(:holding_methods),
            calls: windows_of(:calls), units: units.map(&:window))
        end
      end

      # Whom the chosen units stalled, also units that the filter leaves out.
      # @return [Array<StallPairs::StallPair>] most stall first
      def caused_pairs
        @caused_pairs ||= stall_pairs.of_causers(chosen_names)
      end

      # Whom units waited for to get a connection.
      # @return [Array<StallPairs::StallPair>] longest wait first
      def connection_pairs
        @connection_pairs ||= pairs_of(windows_of(:connection_pairs), :pool_wait_ns)
      end

      # Who ended the waits of units for locks.
      # @return [Array<StallPairs::StallPair>] longest wait first
      def lock_pairs
        @lock_pairs ||= pairs_of(lock_windows(:lock_pair), :lock_ns)
      end

      def lock_waits
        places = -> { lock_windows(:lock_place) }
        @lock_waits ||= LockWaits.new(chosen, pairs: -> { lock_pairs }, places:)
      end

      # The same as pairs_recorded? for connections.
      def connection_pairs_recorded? = connection_pairs.any? || !connections.any?

      # @return [#units, #from_s] see SummaryParts
      def slowest = part(:slowest)

      def processes
        @processes ||= begin
          native_ratio = CpuCeiling.native_ratio((units + of_kind(:account)).map(&:window))
          ProcessReport.new(part(:samples), from_s:, to_s:, every_s:, settings: settings_by_fingerprint,
            native_ratio:)
        end
      end

      # Machines of the processes, each with the CPU ceiling of the time in which units ran: every span with
      # units has the same. Without such a time it is that of the span.
      # @return [Array<Machine>]
      def machines
        return [] if processes.machines.empty?
        @machines ||= begin
          loaded = part(:under_load)
          processes.machines.map { |machine| machine.under_load(loaded&.machine(machine.host)) }
        end
      end

      # @return [Array<Symbol>] parts that `machines` needs
      def parts_of_machines
        (read?(:samples) && processes.machines.any?) ? %i[samples under_load] : [:samples]
      end

      # JIT of all processes, also those that the filter leaves out.
      def jits
        @jits ||= JitReport.new(part(:samples), settings: settings_by_fingerprint, every_s:)
      end

      # See PoolCpu::Capacity.
      def capacity_share(row)
        @capacity ||= PoolCpu::Capacity.new(processes.members, of_kind(:pool))
        @capacity.share(row)
      end

      def pool_cpu
        @pool_cpu ||= PoolCpu.new(processes, @entries).lines
      end

      def connections
        @connections ||= ConnectionWaits.new(self)
      end

      # Calls to other systems by name of the chosen units, those that took longest first.
      # @return [Array<UnitCalls>]
      def calls
        @calls ||= UnitCalls.all(windows_of(:calls), units: chosen.map(&:window))
      end

      # Calls that look slow to other tools although the other system answers fast.
      # @return [Array<UnitCalls::CallLine>]
      def misleading_calls = calls.flat_map(&:lines).select(&:misleading?)

      # Database transactions of the chosen units, those that were open longest first.
      # @return [Array<UnitTransactions>]
      def transactions
        @transactions ||= UnitTransactions.all(windows_of(:transactions), units: chosen.map(&:window))
      end

      # Queries that the chosen units repeat, those that took longest first.
      # @return [Array<UnitCalls::RepeatedQuery>] empty unless `config.repeated_queries` is set
      def repeated_queries
        @repeated_queries ||=
          UnitCalls::RepeatedQuery.all(windows_of(:repeats), units: chosen.map(&:window))
      end

      # Methods that make others wait, of the chosen units and, without a filter, of other threads.
      # @return [Array<MethodLine>] those that caused most first
      def holding_methods
        @holding_methods ||= MethodLine.all(holding_places, revisions:)
      end

      # Where those methods were.
      # @return [Array<MethodPlace>]
      def holding_places
        @holding_places ||= MethodLine.places(windows_of(:holding_methods),
          names: chosen.map { |entry| entry.series.name }.to_set, accounts: !filter.narrow?)
      end

      # Which requests or jobs make their processes grow, also those that the filter leaves out.
      # @return [Array<RetainedMemory::RetainingName, HeapGrowth::GrowingName>]
      def heap_growth
        @heap_growth ||= begin
          counts = part(:heap_counts)
          windows = counts.windows.select { |window| filter.setting?(window.setting) }
          watched = retained_memory.names
          counted = HeapGrowth.new(counts.samples, windows, each_host: counts.each_host).names
          watched + counted.reject { |one| watched.map(&:name).include?(one.name) }
        end
      end

      # @return [PeaksByName] of the same processes
      def memory_peaks
        @memory_peaks ||= PeaksByName.new(of_chosen_settings(part(:samples)))
      end

      # @return [RetainedMemory] likewise
      def retained_memory
        @retained_memory ||= begin
          growth = part(:heap_counts)
          samples = of_chosen_settings(growth.samples)
          counts = of_filtered_settings.each_with_object(Hash.new(0)) do |entry, sums|
            sums[entry.series.name] += entry.window.count
          end
          RetainedMemory.new(samples, counts, each_host: growth.each_host)
        end
      end

      # @return [MethodLine::RevisionUnits] of the chosen units
      def revisions
        @revisions ||= MethodLine::RevisionUnits.new(chosen) { |setting| @table.first_used_s(setting) }
      end

      # :request or :job when all chosen units are, else :unit.
      def unit_kind
        kinds = chosen.map { |entry| entry.series.kind }.uniq
        (kinds.size == 1 && kinds.first != :overflow) ? kinds.first : :unit
      end

      # When such units were measured.
      def coverage = @coverage ||= part(:coverage) || coverage_of_windows

      def measured_from_s
        coverage.from_s&.floor || from_s
      end

      def measured_to_s
        coverage.to_s&.ceil || to_s
      end

      def measured_s = coverage.total_s

      # Units per second while measured; nil where it was too short. A single unit has no rate.
      def throughput(count = total.count)
        (total.count < 2) ? nil : coverage.rate(count)
      end

      # One setting or revision follows the other, so each has a time of its own.
      # @param row [SeriesRow] of `rows`
      # @return [Float, nil] its units per second while it was measured; nil where it was too short
      def row_rate(row)
        own = @parts.own_times[(by == :setting) ? row.settings.first : row.name]
        return throughput(row.count) unless own
        (row.count < 2) ? nil : own.rate(row.count)
      end

      # Whether some units have no CPU time, see Window#cpu_unknown?
      def cpu_unknown? = units.any? { |entry| entry.window.cpu_unknown? }

      # Units that found the series table full.
      def overflowed
        of_kind(:overflow).sum { |entry| entry.window.count }
      end

      # Who shares the pools of connections: needed only where units wait for them.
      # @return [ConnectionWaits::PoolSharers]
      def pool_sharers
        all_rows = SeriesRow::Grouping.new(units, by: :name, sort: :wall, settings: setting_names).rows
        ConnectionWaits::PoolSharers.new(all_rows:, settings: setting_names.settings,
          members: processes.members, samples: part(:samples), from_s:, to_s: measured_to_s)
      end

      protected

      # The waits for connections and locks ask the summary that they are of.
      def add(parts)
        @parts = @parts.with(**parts)
        @connections = @lock_waits = nil
      end

      private

      def lock_windows(kind) = windows_of(:locks).select { |window| window.series.kind == kind }

      # @param time [Symbol] of a window: what units waited
      def pairs_of(windows, time)
        waited = units.group_by(&:series).transform_values do |same|
          same.sum { |entry| entry.window.public_send(time) }
        end
        pairs = StallPairs.new(windows, suffered: waited, time:)
        filter.narrow? ? pairs.of_victims(chosen_names) : pairs.to_a
      end

      def stall_pairs
        @stall_pairs ||= begin
          suffered = of_kind(*Series::UNITS, :account).group_by(&:series).transform_values do |same|
            same.sum { |entry| entry.window.stalled_ns }
          end
          StallPairs.new(windows_of(:pairs), suffered:)
        end
      end

      def chosen_names = chosen.map { |entry| entry.series.name }.uniq

      def coverage_of_windows
        first_s = [from_s, @table.first_s || from_s].max
        last_s = [to_s, @table.last_s || to_s].min
        MeasuredTime.whole(first_s, last_s)
      end

      # @raise [NotRead]
      def part(name)
        raise NotRead.new(name) unless @parts.read?(name)
        @parts.public_send(name)
      end

      def every_s = @parts.every_s

      # Units, also those that the filter leaves out for another reason.
      def of_filtered_settings = units.select { |entry| filter.setting?(entry.setting) }

      def of_chosen_settings(samples)
        settings = of_filtered_settings.filter_map { |entry| entry.setting&.fingerprint }
        samples.select { |one| one[:setting].nil? || settings.include?(one[:setting]) }
      end

      # @param part [Symbol] with windows in it
      def windows_of(part)
        part(part).select { |window| filter.setting?(window.setting) }
      end

      def settings_by_fingerprint
        @entries.filter_map(&:setting).to_h { |setting| [setting.fingerprint, setting] }
      end

      def of_kind(*kinds)
        @entries.select { |entry| kinds.include?(entry.series.kind) }
      end

      def units
        @units ||= @entries.select { |entry| entry.series.unit? }
      end

      # The same units by process or priority: of these, only the queue is known.
      def view_entries
        of_kind(by).select { |entry| filter.queue.nil? || entry.series.queue == filter.queue }
      end

      def chosen
        @chosen ||= units.select { |entry| filter.series?(entry.series) }
      end

      def total_window
        window = WindowTable::WindowSum.sum(chosen.map(&:window), series: TOTAL)
        return window if filter.narrow? || nested.empty?
        nested_window = WindowTable::WindowSum.sum(nested.map(&:window), series: TOTAL)
        WindowTable::WindowSum.subtract(window, nested_window)
      end

      def nested
        @nested ||= of_kind(:nested)
      end

      def of_same_processes(entries)
        return entries unless filter.narrow? && chosen.any?
        settings = chosen.map(&:setting).uniq
        entries.select { |entry| settings.include?(entry.setting) }
      end

      def accounts
        of_kind(:account).reject { |entry| entry.series == Series::HANDOFF }
      end

      def handoffs
        accounts = of_same_processes(of_kind(:account))
        accounts.select { |entry| entry.series == Series::HANDOFF }
      end
    end
  end
end
