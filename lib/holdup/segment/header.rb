# frozen_string_literal: true

require_relative "../model/errors"
require_relative "layout"

module Holdup
  module Segment
    # The first page of a segment: its process, the offsets of its parts, and the process's totals. Each value
    # is checked first, because a file in a shared folder may be anything.
    #
    # - `counters`: {Symbol => Integer} since the process started, see Layout::COUNTERS
    # - `gauges`: {Symbol => Integer, nil} at the last tick; nil is unknown
    # - `pools`: [{max:, busy:, backlog:, oldest_ns:, busy_ns:}] at the last tick, in the order of the
    #   profile's "pools"; `busy_ns` since the process started, nil where it is unknown
    Header = Data.define(*Layout::HEADER_FIELDS, :counters, :gauges, :pools) do
      # @raise [SegmentError::NotASegment, SegmentError::UnknownLayout]
      def self.parse(bytes, path:)
        fields = named(Layout::HEADER_FIELDS, bytes.unpack(Layout::HEADER_FORMAT))
        check_kind(fields, path)
        header = new(
          **fields, counters: read_counters(bytes), gauges: read_gauges(bytes), pools: read_pools(bytes)
        )
        header.each_implausibility { |reason| raise SegmentError::NotASegment.new(path:, reason:) }
        header
      end

      def self.check_kind(fields, path)
        unless fields[:magic] == Layout::MAGIC
          raise SegmentError::NotASegment.new(path:, reason: "it starts with other bytes")
        end
        return if fields[:version] == Layout::VERSION
        raise SegmentError::UnknownLayout.new(path:, found: fields[:version], known: Layout::VERSION)
      end

      def self.read_counters(bytes)
        values = bytes.unpack("Q<#{Layout::COUNTERS.size}", offset: Layout::COUNTERS_OFFSET)
        named(Layout::COUNTERS, values).freeze
      end

      def self.read_gauges(bytes)
        named(Layout::GAUGES, known(bytes, Layout::GAUGES.size, 0)).freeze
      end

      def self.read_pools(bytes)
        values = known(bytes, Layout::POOLS * Layout::POOL_GAUGES.size, Layout::POOLS_AT)
        oldest = known(bytes, Layout::POOLS, Layout::POOLS_OLDEST_AT)
        busy = bytes.unpack("Q<#{Layout::POOLS}", offset: Layout::COUNTERS_OFFSET + 8 * Layout::POOLS_BUSY_AT)
        pools = values.each_slice(Layout::POOL_GAUGES.size).take_while(&:any?)
        read = pools.zip(oldest, busy).map do |pool, oldest_ns, busy_ns|
          busy_ns = nil unless busy_ns.positive?
          {**Layout::POOL_GAUGES.zip(pool).to_h, oldest_ns:, busy_ns:}.freeze
        end
        read.freeze
      end

      def self.known(bytes, count, index)
        values = bytes.unpack("Q<#{count}", offset: Layout::GAUGES_OFFSET + 8 * index)
        values.map { |value| (value == Layout::UNKNOWN) ? nil : value }
      end

      # The result is that of zip and to_h, which make an array for each pair: a collector reads dozens of
      # headers in each round.
      def self.named(names, values)
        named = {}
        names.size.times { |index| named[names[index]] = values[index] }
        named
      end
      private_class_method :check_kind, :read_counters, :read_gauges, :read_pools, :known, :named

      # Whether the process closed it: nothing more will be written.
      def closed? = state.anybits?(Layout::CLOSED)

      # Whether its process took a lock, which the kernel releases when the process ends.
      def locked? = state.anybits?(Layout::LOCKED)

      # Whether its process goes on in another file, which has all that this one had.
      def moved? = state.anybits?(Layout::MOVED)

      # Whether a unit is being applied.
      def applying? = seq.odd?

      # @return [String] "worker 0", or "pid 123" outside of a cluster
      def process_name
        worker_index.negative? ? "pid #{pid}" : "worker #{worker_index}"
      end

      def slot_offset(index)
        series_offset + index * Layout::SERIES_BYTES
      end

      def slowest_offset = Layout.slowest_offset(ring_capacity, ring_offset:)

      def open_offset = Layout.open_offset(ring_capacity, ring_offset:)

      # @return [Integer] rows that its table of pairs has room for
      def pair_capacity = (ring_offset - Layout::PAIRS_OFFSET) / Layout::PAIR_BYTES

      # @yieldparam reason [String] for each implausible value
      def each_implausibility
        unless sizes == [Layout::HEADER_BYTES, Layout::SERIES_BYTES, Layout::RING_ENTRY_BYTES]
          yield "its parts have other sizes"
        end
        unless series_capacity.between?(series_count, Layout::MAX_SERIES)
          yield "it claims #{series_count} series of #{series_capacity}"
        end
        yield "it claims #{ring_capacity} ring entries" unless ring_capacity.between?(1, Layout::MAX_RING)
        yield "it claims #{pair_capacity} pairs" unless pair_capacity.between?(1, Layout::MAX_PAIRS)
        yield "its parts overlap" unless offsets_expected?
        unless log_length <= Layout::LOG_PAIRS && setting_length <= Layout::SETTING_BYTES
          yield "its log or setting is too long"
        end
      end

      private

      def sizes
        [header_bytes, series_bytes, ring_entry_bytes]
      end

      def offsets_expected?
        series_offset == Layout.series_offset(ring_capacity, ring_offset:) &&
          ring_offset == Layout.ring_offset(pair_capacity) &&
          log_offset == Layout::LOG_OFFSET && setting_offset == Layout::SETTING_OFFSET
      end
    end
  end
end
