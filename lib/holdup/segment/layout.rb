# frozen_string_literal: true

# Written by bin/generate from ext/holdup/segment/segment_layout.h.

require_relative "../model/unit_numbers"

module Holdup
  module Segment
    # Layout of a segment file, version 11: the contract of the C writer, inside the application,
    # and the reader, outside. Little endian; all numbers are u64 and cumulative since the process started,
    # unless noted. A change here needs a new VERSION, unless it only uses a spare word whose 0 means unknown.
    module Layout
      MAGIC = "HOLDUPSG"
      VERSION = 11

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
        handoff_ns units nested discarded overflowed clock_backward resumed_without_ready
        suspended_twice unknown_holder queued_clamped abandoned sanitised grow_failures guard_failures
        acquisitions gc_ns running_ns stalled_ns idle_ns caused_ns unaccounted pairs pairs_beyond
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
      POOLS_BUSY_AT = 24

      PROFILE_OFFSET = 1024
      PROFILE_BYTES = 3072

      # A gauge or `queued` that is unknown.
      UNKNOWN = 2**64 - 1

      SETTING_OFFSET = 4096
      SETTING_BYTES = 4096

      # The redo log of the unit being applied: pairs of byte offset and absolute new value.
      LOG_OFFSET = 8192
      LOG_PAIRS = 256

      # Rows of waits: series of who waited and of who held what it waited for, as slots + 1, the number of
      # the kind, and ns.
      PAIRS_OFFSET = 12_288
      # Unless `pair_limit` asks for another number.
      PAIRS = 1024
      PAIR_FORMAT = "L<3 x4 Q<"
      PAIR_BYTES = 24
      # Kinds of their windows: who held the GVL, who held connections of a pool, who ended waits for locks.
      PAIR_KINDS = %i[
        pair pool_pair lock_pair
      ].freeze
      # In place of who waited: units that were not recorded. In place of a holder: nobody (hand-off), parties
      # beyond the most of a series or of the table, and parties that are not known.
      PAIR_UNRECORDED = 4_294_967_295
      PAIR_HANDOFF = 4_294_967_295
      PAIR_OTHERS = 4_294_967_294
      PAIR_UNKNOWN = 4_294_967_293

      # With so many pairs; a header has the one of its file.
      RING_OFFSET = 36_864
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

      # After the ring: how many there were, then the latest of the slowest units of each series and minute:
      # as in the ring, further times, what they waited for longest, as kind, who and ns, and the id of the
      # request or job.
      SLOWEST = 512
      SLOWEST_UNITS_AT = 8
      SLOWEST_BYTES = 408
      SLOWEST_LIST_BYTES = 208_904
      SLOWEST_TIMES = %i[io_ns lock_ns sleep_ns native_ns pool_wait_ns].freeze
      SLOWEST_TAIL = "Q<5#{"L<2Q<" * 12}Z64"
      # Kinds of these parts, 0 being none. Those of PAIR_KINDS begin at PART_PAIR.
      PART_CALL = 1
      PART_PAIR = 2
      # In place of a holder: one that had not ended when the unit did.
      PART_OPEN = 0

      # After the slowest: how many slots of open units have space, how many units got none, who holds the
      # GVL, and the slots. Of texts that change there are two; the lowest bit of a sequence says which one
      # is valid.
      OPEN_UNITS = 256
      OPEN_TABLE_BYTES = 528_384
      OPEN_HOLDER_SEQ = 16
      OPEN_HOLDERS_AT = 24
      OPEN_HOLDER_BYTES = 232
      OPEN_SLOTS_AT = 4096
      OPEN_SLOT_BYTES = 2048
      # Words at the slot's begin, which are the same before and after its texts are read.
      OPEN_HEAD_BYTES = 112
      OPEN_HEAD = %i[
        seq name_seq place_seq seen_seq kind queue_bytes pool_bytes request_bytes job_bytes has_trace
        started_ns thread outer objects
      ].freeze
      OPEN_QUEUE_AT = 112
      OPEN_POOL_AT = 176
      OPEN_REQUEST_AT = 240
      OPEN_JOB_AT = 304
      OPEN_TRACE_AT = 368
      OPEN_NAMES_AT = 384
      OPEN_NAME_BYTES = 208
      OPEN_PLACES_AT = 800
      OPEN_PLACE_BYTES = 440
      OPEN_SEEN_AT = 1680
      OPEN_SEEN_BYTES = 112
      ID_BYTES = 64
      OPEN_STATES = %i[
        running gvl idle connection call
      ].each.with_index(1).to_h { |state, number| [number, state] }.freeze

      SERIES_BYTES = 25_984
      KINDS = %i[
        request job account nested overflow call method repeat transaction transaction_call lock_place
      ].each.with_index(1).to_h { |kind, number| [number, kind] }.freeze
      # Offset and room of each text of a slot; their lengths are at 4, in that order.
      SERIES_TEXTS = {
        name: [16, 200],
        queue: [216, 424],
        pool: [808, 64],
        priority: [872, 16]
      }.freeze
      SERIES_HEAD = "L<3S<2"
      COUNT_OFFSET = 640
      ERRORS_OFFSET = 648
      SUMS_OFFSET = 656
      SUMS = UnitNumbers::SUMS

      # Of an account: how many names its slot had before the present one, and its sums when that came, in the
      # room for a queue: SUMS, then the sums of the first HISTOGRAMS.
      GENERATION_OFFSET = 888
      FORMER_OFFSET = 216
      FORMER_HISTOGRAMS = 4
      # The account of what slots had under earlier names. It has no slot of its own.
      ENDED_THREADS = "thread:(ended)"

      HISTOGRAMS_OFFSET = 896
      HISTOGRAM_BYTES = 4160
      HISTOGRAMS = UnitNumbers::HISTOGRAMS
      HISTOGRAM_FIELDS = %i[count sum min max zero lo hi].freeze
      BUCKETS_OFFSET = 64
      # After the histograms: the path's length, and the path.
      PATH_OFFSET = 25_856
      PATH_BYTES = 120
      BUCKETS = 512

      # A reader rejects a header beyond these, so that a damaged file costs neither memory nor time.
      MAX_SERIES = 100_000
      MAX_RING = 1 << 22
      MAX_PAIRS = 1 << 16
      # No sum of nanoseconds reaches it in 70 years, and every store can keep it.
      MAX_NUMBER = 1 << 61
      PAGE_BYTES = 4096

      def self.series_offset(ring_capacity, ring_offset: RING_OFFSET)
        open_offset(ring_capacity, ring_offset:) + OPEN_TABLE_BYTES
      end

      # Of the table of open units.
      def self.open_offset(ring_capacity, ring_offset: RING_OFFSET)
        slowest_offset(ring_capacity, ring_offset:) + whole_pages(SLOWEST_LIST_BYTES)
      end

      def self.slowest_offset(ring_capacity, ring_offset: RING_OFFSET)
        whole_pages(ring_offset + ring_capacity * RING_ENTRY_BYTES)
      end

      # @param pairs [Integer] rows that are asked for; they take whole pages
      def self.ring_offset(pairs)
        PAIRS_OFFSET + whole_pages(pairs * PAIR_BYTES)
      end

      def self.whole_pages(bytes)
        -(-bytes / PAGE_BYTES) * PAGE_BYTES
      end
      private_class_method :whole_pages

      # Offset of histogram number `index` from the slot's first byte.
      def self.histogram_offset(index)
        HISTOGRAMS_OFFSET + index * HISTOGRAM_BYTES
      end
    end
  end
end
