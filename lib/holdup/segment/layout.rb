# frozen_string_literal: true

require_relative "../model/errors"

module Holdup
  module Segment
    # Layout of a segment file, version 6: the contract between the C writer (inside the application) and the
    # reader (outside). Little endian; all numbers are u64 and cumulative since the process started, unless
    # noted. A change here needs a new VERSION, unless it only uses a spare word whose 0 means unknown.
    module Layout
      MAGIC = "HOLDUPSG"
      VERSION = 6

      HEADER_BYTES = 4096
      # One `unpack` of the header's start gives these fields in this order.
      HEADER_FORMAT = "a8 L<2 Q<19 q< Q<5 x24 Q<2"
      HEADER_FIELDS = %i[
        magic version header_bytes pid start created_ns seq series_count series_capacity series_offset
        series_bytes ring_offset ring_capacity ring_entry_bytes ring_head log_offset log_length setting_offset
        setting_seq setting_length state heartbeat_ns worker_index generation parent profile_seq
        profile_length namespace folder folder_before
      ].freeze

      # Offsets of fields that are read or written alone.
      PID = 16
      SEQ = 40
      SERIES_COUNT = 48
      RING_HEAD = 104
      LOG_LENGTH = 120
      SETTING_SEQ = 136
      SETTING_LENGTH = 144
      STATE = 152
      PROFILE_SEQ = 192
      PROFILE_LENGTH = 200
      # Written from outside: the requested capture (Capture::Request) and its trigger (Capture::Trigger).
      CAPTURE_REQUEST = 216
      CAPTURE_RULE = 224
      TICK_SEQ = 232
      # Written by the collector: ids of the folder in which it carries the segment, and of the one before.
      FOLDER = 240
      HEARTBEAT = 160

      LIVE = 0
      # Bits of the state. LOCKED: its process has a lock on the file; MOVED: another file goes on with it.
      CLOSED = 1
      LOCKED = 2
      MOVED = 4

      COUNTERS_OFFSET = 256
      COUNTER_SLOTS = 32
      # Counts of the whole process; those from `acquisitions` to `caused_ns` are totals of all threads, the
      # rest anomalies.
      COUNTERS = %i[
        handoff_ns units nested discarded overflowed clock_backward resumed_without_ready suspended_twice
        unknown_holder queued_clamped abandoned sanitised grow_failures guard_failures acquisitions gc_ns
        running_ns stalled_ns idle_ns caused_ns unaccounted
      ].freeze

      GAUGES_OFFSET = 512
      GAUGE_SLOTS = 64
      # State of the process at its last tick.
      GAUGES = %i[
        threads waiting_threads units_in_flight busy_threads backlog pool_capacity max_threads rss_bytes
        pss_bytes cpu_ns gc_count gc_time_ns allocated_objects jit_enabled jit_code_bytes jit_alloc_bytes
        jit_compiled_iseqs jit_compile_ns jit_interpreted_instructions live_slots requests_count redis_rtt_ns
        connections_kept_ns jit_live_iseqs jit_limit_bytes jit_saturated jit_invalidations jit_enabled_ns
        jit_warm_ns jit_failures jit_code_gcs jit_redefined
      ].freeze

      # Groups of threads that take units (a web server's pool, a job runner's capsule): three gauges each
      # from here on, and one more: the longest wait in the backlog.
      POOLS_AT = 32
      POOLS = 8
      POOL_GAUGES = %i[max busy backlog].freeze
      POOLS_OLDEST_AT = 56
      # After the counters: time for which its threads have been busy with units; 0 until the first.
      POOLS_BUSY_AT = COUNTER_SLOTS - POOLS

      PROFILE_OFFSET = 1024
      PROFILE_BYTES = 3072

      # A gauge or `queued` that is unknown.
      UNKNOWN = 2**64 - 1

      SETTING_OFFSET = 4096
      SETTING_BYTES = 4096

      # The redo log of the unit being applied: pairs of byte offset and absolute new value.
      LOG_OFFSET = 8192
      LOG_PAIRS = 256

      RING_OFFSET = 12_288
      RING_ENTRY_BYTES = 112
      RING_FIELDS = %i[
        start_ns series_index wall_ns running_ns cpu_ns idle_ns stalled_ns acquisitions longest_hold_ns gc_ns
        queued_ns in_flight_milli concurrency rest_ns trace
      ].freeze
      RING_ENTRY = "Q<11L<2H32"
      # A unit without a trace has zeros.
      NO_TRACE = "0" * 32
      # Bit of an entry's starting state: it is a rest time, not a number of units.
      RESTED = 1 << 31

      SERIES_BYTES = 25_984
      KINDS = {1 => :request, 2 => :job, 3 => :account, 4 => :nested, 5 => :overflow, 6 => :call,
               7 => :method, 8 => :repeat}.freeze
      # Offset and room of each text of a slot; their lengths are at 4, in that order.
      SERIES_TEXTS = {name: [16, 200], queue: [216, 424], pool: [808, 64], priority: [872, 16]}.freeze
      SERIES_HEAD = "L<3S<2"
      COUNT_OFFSET = 640
      ERRORS_OFFSET = 648
      SUMS_OFFSET = 656
      SUMS = %i[
        cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns gc_ns caused_ns acquisitions preemptions
        hold_squares_us2 pool_wait_ns pool_held_ns objects objects_own_ns objects_others_ns
        malloc_bytes slot_bytes slot_objects
      ].freeze

      # Of an account: how many names its slot had before the present one, and its sums when that came, in the
      # room for a queue: SUMS, then the sums of the first HISTOGRAMS.
      GENERATION_OFFSET = 888
      FORMER_OFFSET = 216
      FORMER_HISTOGRAMS = 4
      # The account of what slots had under earlier names. It has no slot of its own.
      ENDED_THREADS = "thread:(ended)"

      HISTOGRAMS_OFFSET = 896
      HISTOGRAM_BYTES = 4160
      HISTOGRAMS = %i[wall running stalled idle queued longest_hold].freeze
      HISTOGRAM_FIELDS = %i[count sum min max zero lo hi].freeze
      BUCKETS_OFFSET = 64
      # After the histograms: the path's length, and the path.
      PATH_OFFSET = 25_856
      PATH_BYTES = 120
      BUCKETS = 512

      # A reader rejects a header beyond these, so that a damaged file costs neither memory nor time.
      MAX_SERIES = 100_000
      MAX_RING = 1 << 22
      # No sum of nanoseconds reaches it in 70 years, and every store can keep it.
      MAX_NUMBER = 1 << 61
      PAGE_BYTES = 4096

      def self.series_offset(ring_capacity)
        past_ring = RING_OFFSET + ring_capacity * RING_ENTRY_BYTES
        -(-past_ring / PAGE_BYTES) * PAGE_BYTES
      end

      # Offset of histogram number `index` from the slot's first byte.
      def self.histogram_offset(index)
        HISTOGRAMS_OFFSET + index * HISTOGRAM_BYTES
      end
    end

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

      # As zip and to_h, which make an array for each pair: a collector reads dozens of headers in each round.
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

      # @yieldparam reason [String] for each implausible value
      def each_implausibility
        unless sizes == [Layout::HEADER_BYTES, Layout::SERIES_BYTES, Layout::RING_ENTRY_BYTES]
          yield "its parts have other sizes"
        end
        unless series_capacity.between?(series_count, Layout::MAX_SERIES)
          yield "it claims #{series_count} series of #{series_capacity}"
        end
        yield "it claims #{ring_capacity} ring entries" unless ring_capacity.between?(1, Layout::MAX_RING)
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
        series_offset == Layout.series_offset(ring_capacity) && ring_offset == Layout::RING_OFFSET &&
          log_offset == Layout::LOG_OFFSET && setting_offset == Layout::SETTING_OFFSET
      end
    end
  end
end
