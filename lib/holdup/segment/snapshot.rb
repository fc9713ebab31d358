# frozen_string_literal: true

require_relative "layout"

module Holdup
  module Segment
    # One unit as the ring keeps it, for replays. `series_index` is the place in Snapshot#slots; `queued_ns`
    # is nil when nobody knew; `in_flight_milli` is a thousandth of the mean number of units in flight while
    # it was running (not while it waited); `concurrency` is how many of them there were when it began,
    # `rest_ns` for how long there had been none (both nil when nobody knows); `trace`: 32 hexadecimal digits,
    # nil for none.
    RingEntry = Data.define(*Layout::RING_FIELDS) do
      # @param bytes [String]
      # @return [RingEntry]
      def self.parse(bytes)
        *values, queued, in_flight, before, trace = bytes.unpack(Layout::RING_ENTRY)
        new(*values, (queued == Layout::UNKNOWN) ? nil : queued, in_flight, *began(before),
          (trace == Layout::NO_TRACE) ? nil : trace)
      end

      def self.began(before)
        return [nil, nil] if before.zero?
        (before >= Layout::RESTED) ? [0, (before - Layout::RESTED) * 1000] : [before, 0]
      end
      private_class_method :began
    end

    # Everything one segment says at one moment. Frozen; each slot is consistent in itself, slots may be some
    # units apart.
    #
    # - `header`: Header; `setting`: Setting, without attributes until the process has written it
    # - `slots`: Array of Slot; nil in the place of one that the process was writing all the time
    # - `ring`: Array of RingEntry, oldest first
    Snapshot = Data.define(:header, :setting, :slots, :ring) do
      def pid = header.pid

      def start = header.start

      def counters = header.counters

      def gauges = header.gauges

      # @return [Slot, nil]
      def slot(name, kind: :request, queue: nil)
        slots.compact.find { |slot|
          [slot.series.name, slot.series.kind, slot.series.queue] == [name, kind, queue]
        }
      end
    end
  end
end
