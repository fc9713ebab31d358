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
      # Number of a pool that does not count, and numbers of the places in a tenth of a second: see `places`.
      NO_POOL = 255
      PLACES = 512

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
        known = pools.compact.uniq.first(NO_POOL)
        numbers = pools.map { |unit_pool| (unit_pool && known.index(unit_pool)) || NO_POOL }
        minutes = places(slice, numbers, now_ns).map do |place, count|
          cell, pool = place.divmod(PLACES)
          minute = minute(cell / ArrivalCounts::CELLS * MINUTE_S, setting, known.fetch(pool / 2))
          minute.add(cell % ArrivalCounts::CELLS, count, stamped: pool.odd?)
          minute
        end
        miss(minutes.uniq, missed) if missed.positive?
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

      # In C with the extension: a busy process has thousands of units in a tick.
      # @param numbers [Array<Integer>] of the pool of each slot
      # @return [Hash{Integer => Integer}] units by the tenth of a second since 1970 in which they came *
      #   PLACES + their pool * 2 + 1 if their queue time is known
      def places(slice, numbers, now_ns)
        from_ns = now_ns - PAST_NS
        to_ns = now_ns + FUTURE_NS
        if defined?(SlotDumps)
          return SlotDumps.arrivals(slice.bytes, numbers.pack("C*"), from_ns, to_ns).unpack("Q*").tally
        end
        places = Hash.new(0)
        slice.each_arrival do |at_ns, slot, stamped|
          pool = numbers.fetch(slot, NO_POOL)
          next if pool == NO_POOL || at_ns < from_ns || at_ns >= to_ns
          places[at_ns / ArrivalCounts::CELL_NS * PLACES + pool * 2 + (stamped ? 1 : 0)] += 1
        end
        places
      end

      def minute(start_s, setting, unit_pool)
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
        # @param stamped [Boolean] whether the units said how long they were queued
        def add(cell, count, stamped:)
          @cells[cell] += count
          @added += count
          @stamped += count if stamped
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
