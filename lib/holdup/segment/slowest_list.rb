# frozen_string_literal: true

require_relative "layout"
require_relative "ring_slice"

module Holdup
  module Segment
    # One of the slowest units of its series and minute, as the probe kept it when it ended.
    #
    # - `unit`: RingEntry; `parts`: Array of SlowestPart
    # - `id`: of the request or job, String as it was written, perhaps damaged; nil: none is known
    SlowestEntry = Data.define(:unit, *Layout::SLOWEST_TIMES, :parts, :id) do
      def self.parse(bytes)
        unit = RingEntry.parse(bytes.byteslice(0, Layout::RING_ENTRY_BYTES))
        *numbers, id = bytes.unpack(Layout::SLOWEST_TAIL, offset: Layout::RING_ENTRY_BYTES)
        *times, parts = split(numbers)
        parts = parts.each_slice(3).reject { |kind, *| kind.zero? }
        new(unit, *times, parts.map { |part| SlowestPart.new(*part) }, id.empty? ? nil : id)
      end

      def self.split(numbers)
        times = Layout::SLOWEST_TIMES.size
        [*numbers.first(times), numbers.drop(times)]
      end
      private_class_method :split
    end

    # - `kind`: Layout::PART_CALL, or Layout::PART_PAIR and the place of its kind in Layout::PAIR_KINDS
    # - `who`: slot + 1, Layout::PART_OPEN, or one of Layout::PAIR_*
    SlowestPart = Data.define(:kind, :who, :ns)

    # The list of the slowest units, as far as it was not known.
    #
    # - `head`: how many there were; `missed`: how many were overwritten before they were read
    SlowestList = Data.define(:head, :missed, :entries) do
      # @param bytes [ByteReader]
      # @param since [Integer] how many are known already
      # @raise [ByteReader::TooShort]
      def self.read(bytes, header, since)
        offset = header.slowest_offset
        head = bytes.u64(offset)
        first = [since, head - Layout::SLOWEST].max
        read = (first...head).map do |number|
          place = Layout::SLOWEST_UNITS_AT + number % Layout::SLOWEST * Layout::SLOWEST_BYTES
          bytes.read(offset + place, Layout::SLOWEST_BYTES).dup
        end
        overwritten = bytes.u64(offset) - Layout::SLOWEST + 1 - first
        read = read.drop([overwritten, 0].max)
        new(head:, missed: head - since - read.size, entries: read.map { |entry| SlowestEntry.parse(entry) })
      end
    end
  end
end
