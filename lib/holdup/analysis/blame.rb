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
    class Blame
      Account = Data.define(:name, :kind, :queue, :count, :suffered, :caused, :running, :acquisitions) do
        # Figures of a nested series are negative.
        def self.of(series, windows)
          sign = (series.kind == :nested) ? -1 : 1
          suffered, running = %i[stalled running].map do |name|
            sign * windows.sum { |window| window.histograms[name].sum }
          end
          caused, acquisitions = %i[caused_ns acquisitions].map do |name|
            sign * windows.sum { |window| window.sums[name] }
          end
          new(name: series.name, kind: series.kind, queue: series.queue, count: windows.sum(&:count),
            suffered:, caused:, running:, acquisitions:)
        end

        def stall_per_unit
          count.zero? ? nil : suffered.fdiv(count)
        end

        def stall_per_acquisition
          acquisitions.zero? ? nil : suffered.fdiv(acquisitions)
        end
      end

      # @param entries [Array<WindowTable::WindowEntry>] of units, accounts and nested units
      def self.of(entries, handoff_ns:)
        accounts = entries.group_by(&:series).map { |series, same| Account.of(series, same.map(&:window)) }
        new(accounts, handoff_ns:)
      end

      attr_reader :handoff_ns

      def initialize(all, handoff_ns:)
        @all = all
        @handoff_ns = handoff_ns
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

      # Stall that a holder caused; with the hand-off it equals suffered_ns.
      def caused_ns = @caused_ns ||= @all.sum(&:caused)

      def main_cause
        (series + accounts).max_by(&:caused)
      end

      def count = series.sum(&:count)

      def caused_share(account)
        share(account.caused)
      end

      def suffered_share(account)
        share(account.suffered)
      end

      def handoff_share = share(handoff_ns)

      # How far the identity is off, as a share of the stall; tests watch it.
      def gap
        share(caused_ns + handoff_ns - suffered_ns)
      end

      private

      def ranked(accounts)
        accounts.sort_by { |account| [-account.caused, -account.suffered, account.name] }
      end

      def share(value)
        whole_ns.zero? ? 0.0 : value.fdiv(whole_ns)
      end

      def whole_ns
        [suffered_ns, caused_ns + handoff_ns].max
      end
    end
  end
end
