# frozen_string_literal: true

require_relative "../errors"
require_relative "../segment/layout"
require_relative "position"

module Holdup
  class Collector
    # A Position as binary and back: BER integers (`pack "w*"`), one or two bytes for most numbers. In two parts, because
    # accounts move all the time and units, which are a hundred times larger, only when there is work.
    module PositionCodec
      VERSION = 1
      HISTOGRAMS = Segment::Layout::HISTOGRAMS.size
      SUMS = Segment::Layout::SUMS.size
      NONE = [0].pack("w").freeze

      module_function

      # @param position [Position]
      # @return [String] everything but the units
      def dump_head(position)
        accounts = position.slots.each_with_index.select { |slot, _| slot&.account? }
        facts = [VERSION, position.created_ns, position.read_ns, position.finished ? 1 : 0, position.handoff_ns, accounts.size]
        accounts.each_with_object(facts.pack("w*")) { |(slot, index), all| all << [index].pack("w") << dump_slot(slot) }
      end

      # @param position [Position]
      # @return [String]
      def dump_units(position)
        position.slots.each_with_object([position.slots.size].pack("w")) do |slot, all|
          all << ((slot.nil? || slot.account?) ? NONE : dump_slot(slot))
        end
      end

      # @param head [String]
      # @param units [String, nil]
      # @return [Position] its slots have no series until the segment is read again
      # @raise [DamagedData]
      def load(head, units)
        numbers = Numbers.new(head)
        version, created_ns, read_ns, finished, handoff_ns, accounts = numbers.take(6)
        raise DamagedData.new("a segment's stored position has version #{version}", "this Holdup reads #{VERSION}") unless version == VERSION
        slots = units ? load_units(Numbers.new(units)) : []
        accounts.times { slots[numbers.take(1).first] = load_slot(numbers) }
        Position.new(created_ns:, read_ns:, finished: finished == 1, handoff_ns:, slots: slots.freeze)
      end

      def dump_slot(slot)
        numbers = slot.histograms.each_with_object([1, slot.count, slot.errors, *slot.sums]) do |cells, all|
          all.push(cells.count, cells.sum, cells.min, cells.max, cells.zero, cells.offset, cells.counts.size).concat(cells.counts)
        end
        numbers.pack("w*")
      end

      def load_units(numbers) = Array.new(numbers.take(1).first) { load_slot(numbers) }

      def load_slot(numbers)
        return if numbers.take(1) == [0]
        count, errors, *sums = numbers.take(2 + SUMS)
        Segment::Slot.new(nil, count, errors, sums, Array.new(HISTOGRAMS) { load_cells(numbers) })
      end

      def load_cells(numbers)
        count, sum, min, max, zero, offset, size = numbers.take(7)
        Segment::Cells.new(count, sum, min, max, zero, offset, numbers.take(size))
      end

      # Integers, taken from the front.
      class Numbers
        # @param bytes [String]
        def initialize(bytes)
          @numbers = bytes.unpack("w*")
          @at = 0
        end

        # @return [Array<Integer>]
        # @raise [DamagedData] when there are not so many left
        def take(count)
          raise DamagedData.new("a segment's stored position is cut short") if @at + count > @numbers.size
          @at += count
          @numbers[@at - count, count]
        end
      end
    end
  end
end
