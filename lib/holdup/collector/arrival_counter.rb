# frozen_string_literal: true

module Holdup
  class Collector
    # Counts when units came, from the rings of all processes: nothing has to be recorded for it in a request.
    # Each unit is read once, because the stored checkpoint has the ring's head. Of units that were
    # overwritten before they were read only the number is known.
    class ArrivalCounter
      PAST_NS = ArrivalBlock::KEEP_S * NS
      FUTURE_NS = 60 * NS
      # Minutes whose tenths of seconds are kept to count what came together. A unit that takes longer is
      # counted in its second all the same.
      KEEP_S = 5 * MINUTE_S
      MINUTE_NS = MINUTE_S * NS

      # A minute of one pool of one setting.
      MinuteKey = Data.define(:start_s, :setting, :unit_pool)

      def initialize
        @minutes = {}
      end

      # @param slice [Segment::RingSlice]
      # @param missed [Integer] units before the slice that the ring has lost
      # @param setting [Setting]
      # @param pools [Array<ArrivalBlock::UnitPool, nil>] of each slot
      def add(slice, missed, setting, pools, now_ns)
        span_ns = now_ns - PAST_NS..now_ns + FUTURE_NS
        minutes = {}
        slice.each_arrival do |at_ns, slot, stamped|
          unit_pool = pools[slot]
          next unless unit_pool && span_ns.cover?(at_ns)
          place = [at_ns / MINUTE_NS, unit_pool]
          minute = minutes[place] ||= minute(at_ns, setting, unit_pool)
          minute.add(at_ns % MINUTE_NS / ArrivalCounts::CELL_NS, stamped)
        end
        miss(minutes.values, missed) if missed.positive?
      end

      # What was counted since the last commit.
      # @return [Array<ArrivalBlock>]
      def blocks(host)
        counted = @minutes.reject { |_, minute| minute.empty? }
        counted.group_by { |key, _| [key.start_s, key.setting] }.map do |(start_s, setting), same|
          counts = same.to_h { |key, minute| [key.unit_pool, minute.counts] }
          ArrivalBlock.new(setting:, host:, start_s:, counts:)
        end
      end

      # The caller does this after the commit.
      def committed
        @minutes.each_value(&:committed)
        newest_s = @minutes.each_key.map(&:start_s).max
        @minutes.delete_if { |key, _| key.start_s < newest_s - KEEP_S }
      end

      # The caller does this when it is unknown what the store has.
      def forget = @minutes.clear

      private

      def minute(at_ns, setting, unit_pool)
        start_s = at_ns / MINUTE_NS * MINUTE_S
        @minutes[MinuteKey.new(start_s:, setting:, unit_pool:)] ||= CountedMinute.new
      end

      # They came before those of the slice, most likely to the pool and in the minute with most of these.
      def miss(minutes, missed)
        minutes.max_by(&:added)&.miss(missed)
      end

      # Tenths of the seconds of a minute: with what the store has, and what has to be added.
      class CountedMinute
        # Units since the last commit.
        attr_reader :added

        def initialize
          @stored = Hash.new(0)
          clear
        end

        # @param cell [Integer] tenth of a second
        # @param stamped [Boolean] whether the unit said how long it was queued
        def add(cell, stamped)
          @cells[cell] += 1
          @added += 1
          @stamped += 1 if stamped
        end

        def miss(count)
          @missed += count
        end

        def empty? = @added.zero? && @missed.zero?

        # @return [ArrivalCounts] what has to be added
        def counts
          seconds = Array.new(ArrivalCounts::SECONDS, 0)
          squares = 0
          @cells.each do |cell, count|
            seconds[cell / ArrivalCounts::TENTHS] += count
            squares += count * (2 * @stored[cell] + count)
          end
          ArrivalCounts.new(seconds:, squares:, stamped: @stamped, missed: @missed)
        end

        def committed
          @cells.each { |cell, count| @stored[cell] += count }
          clear
        end

        private

        def clear
          @cells = Hash.new(0)
          @added = @stamped = @missed = 0
        end
      end
    end
  end
end
