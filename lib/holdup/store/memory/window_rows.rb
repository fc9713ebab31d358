# frozen_string_literal: true

require "monitor"

module Holdup
  module Store
    class Memory
    end

    # Windows in hashes by tier and start, with the operations that Rollup and Pruning need.
    class Memory::WindowRows
      BYTES_A_ROW = 2_000 # a guess that lets a size cap work here too

      def initialize
        @lock = Monitor.new
        @tiers = Tier.fresh.to_h { |tier| [tier.seconds, tier] }
        @rows = @tiers.transform_values { {} }
      end

      # Nothing inside can fail half way, so a lock is enough for a transaction.
      def transaction(&) = @lock.synchronize(&)

      def tiers
        transaction { @tiers.values }
      end

      def save_tier(tier) = @tiers[tier.seconds] = tier

      # @return [Integer, nil] first start at or after that second
      def first_start(seconds, from_s)
        @rows[seconds].keys.select { |start_s| start_s >= from_s }.min
      end

      def between(seconds, from_s, to_s)
        transaction do
          starts = @rows[seconds].keys.select { |start_s| start_s >= from_s && start_s < to_s }
          starts.sort.flat_map { |start_s| @rows[seconds][start_s].values }
        end
      end

      # @return [Array<Window>] one for each series, setting and host
      def summed(seconds, from_s, to_s)
        by_origin = between(seconds, from_s, to_s).group_by { |one| [one.series, one.setting, one.host] }
        by_origin.values.map { |same| Window.sum(same) }
      end

      # Adds windows to the existing rows.
      def merge(windows)
        windows.each do |window|
          rows = @rows[window.seconds][window.start_s] ||= {}
          key = [window.series, window.setting, window.host]
          rows[key] = rows[key] ? rows[key].merge(window) : window
        end
      end

      # Makes these the only rows of one span.
      def replace(seconds, start_s, windows)
        @rows[seconds].delete(start_s)
        merge(windows)
      end

      def delete_before(seconds, before_s)
        old, @rows[seconds] = @rows[seconds].partition { |start_s, _| start_s < before_s }.map(&:to_h)
        old.sum { |_, rows| rows.size }
      end

      def windows
        transaction { @rows.values.flat_map { |starts| starts.values.flat_map(&:values) } }
      end

      def bytes = windows.size * BYTES_A_ROW
    end
  end
end
