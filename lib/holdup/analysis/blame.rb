# frozen_string_literal: true

module Holdup
  module Analysis
    # Who stalled and who caused it, over everything that ran in the processes: units, threads outside of
    # units ("accounts") and the hand-off, which is stall while no thread holds the GVL:
    #
    #   sum of caused + handoff = sum of suffered
    #
    # Units that ran inside another unit are counted twice; `:nested` subtracts them once. In the first
    # seconds of a recording, and after a kill, one side may be ahead of the other. Shares are of the larger,
    # so none exceeds the whole.
    #
    # The shares that sentences name are of the stall of units: threads outside of units wait too, mostly for
    # work, and no user waits for them. What a holder caused is known for all threads together, so of each
    # setting it counts with the part of the stall that its units suffered.
    class Blame
      # `caused_to_units`: the part of `caused` that units suffered
      Account = Data.define(:name, :kind, :queue, :count, :suffered, :caused, :caused_to_units, :running,
        :acquisitions) do
        # Figures of a nested series are negative.
        # @param parts [Hash{Setting => Float}] of the stall, that units suffered
        def self.of(series, entries, parts)
          windows = entries.map(&:window)
          sign = (series.kind == :nested) ? -1 : 1
          suffered, running = %i[stalled running].map do |name|
            sign * windows.sum { |window| window.histograms[name].sum }
          end
          caused, acquisitions = %i[caused_ns acquisitions].map do |name|
            sign * windows.sum { |window| window.sums[name] }
          end
          caused_to_units = entries.sum do |entry|
            sign * entry.window.sums[:caused_ns] * parts.fetch(entry.setting)
          end
          new(name: series.name, kind: series.kind, queue: series.queue, count: windows.sum(&:count),
            suffered:, caused:, caused_to_units:, running:, acquisitions:)
        end

        def stall_per_unit
          count.zero? ? nil : suffered.fdiv(count)
        end

        def stall_per_acquisition
          acquisitions.zero? ? nil : suffered.fdiv(acquisitions)
        end
      end

      # @param entries [Array<WindowTable::WindowEntry>] of units, accounts and nested units
      # @param handoffs [Array<WindowTable::WindowEntry>]
      def self.of(entries, handoffs:)
        parts = entries.group_by(&:setting).transform_values { |same| part_of_units(same) }
        accounts = entries.group_by(&:series).map { |series, same| Account.of(series, same, parts) }
        caused = handoffs.map { |entry| [entry.window.sums[:caused_ns], parts.fetch(entry.setting, 0.0)] }
        new(accounts, handoff_ns: caused.sum(&:first), handoff_to_units: caused.sum { |ns, part| ns * part })
      end

      # @return [Float] of the stall, 0.0 .. 1.0
      def self.part_of_units(entries)
        all = units = 0
        entries.each do |entry|
          stalled_ns = entry.window.histograms[:stalled].sum
          stalled_ns = -stalled_ns if entry.series.kind == :nested
          all += stalled_ns
          units += stalled_ns unless entry.series.kind == :account
        end
        all.positive? ? units.fdiv(all).clamp(0.0, 1.0) : 0.0
      end
      private_class_method :part_of_units

      attr_reader :handoff_ns

      # @param handoff_to_units [Float] the part of the hand-off that units suffered
      def initialize(all, handoff_ns:, handoff_to_units:)
        @all = all
        @handoff_ns = handoff_ns
        @handoff_to_units = handoff_to_units
      end

      def series
        @series ||= ranked(@all.reject { |account| %i[account nested].include?(account.kind) })
      end

      def accounts
        @accounts ||= ranked(@all.select { |account| account.kind == :account })
      end

      # Negative figures: what the others count twice.
      def nested
        @all.find { |account| account.kind == :nested }
      end

      def suffered_ns = @suffered_ns ||= @all.sum(&:suffered)

      # Stall of requests and jobs.
      def units_suffered_ns = suffered_ns - accounts.sum(&:suffered)

      # Stall that a holder caused; with the hand-off it equals suffered_ns.
      def caused_ns = @caused_ns ||= @all.sum(&:caused)

      # The cause of most stall of units.
      def main_cause
        (series + accounts).max_by(&:caused_to_units)
      end

      def count = series.sum(&:count)

      # @return [Float] of the stall of units, 0.0 .. 1.0
      def caused_share(account)
        units_whole_ns.positive? ? account.caused_to_units / units_whole_ns : 0.0
      end

      # @return [Float] of the stall of units, 0.0 .. 1.0
      def handoff_share
        units_whole_ns.positive? ? @handoff_to_units / units_whole_ns : 0.0
      end

      # How far the identity is off, as a share of the stall; tests watch it.
      def gap
        share(caused_ns + handoff_ns - suffered_ns)
      end

      # Stall of all threads: the larger of both sides.
      def whole_ns
        [suffered_ns, caused_ns + handoff_ns].max
      end

      private

      def ranked(accounts)
        accounts.sort_by { |account| [-account.caused, -account.suffered, account.name] }
      end

      def share(value)
        whole_ns.zero? ? 0.0 : value.fdiv(whole_ns)
      end

      def units_whole_ns
        @units_whole_ns ||= [units_suffered_ns, @all.sum(&:caused_to_units) + @handoff_to_units].max
      end
    end
  end
end
