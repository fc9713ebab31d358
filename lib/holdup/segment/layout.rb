# frozen_string_literal: true

module Holdup
  module Segment
    # Where everything is in a segment file, layout version 2: the one agreement between the C writer (inside
    # the application) and the reader (outside). Little endian; all numbers are u64 and cumulative since the
    # process started, unless said otherwise. A change of anything here needs a new VERSION.
    module Layout
      MAGIC = "HOLDUPSG"
      VERSION = 2

      HEADER_BYTES = 4096
      # One `unpack` of the header's start gives these, in this order.
      HEADER_FORMAT = "a8 L<2 Q<19 q< Q<5"
      HEADER_FIELDS = %i[
        magic version header_bytes pid start created_ns seq series_count series_capacity series_offset
        series_bytes ring_offset ring_capacity ring_entry_bytes ring_head log_offset log_length setting_offset
        setting_seq setting_length state heartbeat_ns worker_index generation parent profile_seq
        profile_length namespace
      ].freeze

      # Offsets of what is read or written alone.
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
      # Written from outside (Capture::Request): what the process is asked to capture, and what for
      # (Capture::Trigger).
      CAPTURE_REQUEST = 216
      CAPTURE_RULE = 224
      TICK_SEQ = 232
      HEARTBEAT = 160

      LIVE = 0
      CLOSED = 1

      COUNTERS_OFFSET = 256
      COUNTER_SLOTS = 32
      # What the whole process counted; those after `acquisitions` are totals of all threads, the rest
      # anomalies.
      COUNTERS = %i[
        handoff_ns units nested discarded overflowed clock_backward resumed_without_ready suspended_twice
        unknown_holder queued_clamped abandoned sanitised grow_failures guard_failures acquisitions gc_ns
        running_ns stalled_ns idle_ns caused_ns
      ].freeze

      GAUGES_OFFSET = 512
      GAUGE_SLOTS = 64
      # The state of the process at its last tick.
      GAUGES = %i[
        threads waiting_threads units_in_flight busy_threads backlog pool_capacity max_threads rss_bytes
        pss_bytes cpu_ns gc_count gc_time_ns allocated_objects jit_enabled jit_code_bytes jit_alloc_bytes
        jit_compiled_iseqs jit_compile_ns jit_interpreted_instructions live_slots requests_count redis_rtt_ns
        connections_kept_ns jit_live_iseqs jit_limit_bytes jit_saturated jit_invalidations jit_enabled_ns
        jit_warm_ns jit_failures jit_code_gcs jit_redefined
      ].freeze

      # Groups of threads that take units (a web server's pool, a job runner's capsule): three gauges each
      # from here on, and one more: how long what waits longest has waited.
      POOLS_AT = 32
      POOLS = 8
      POOL_GAUGES = %i[max busy backlog].freeze
      POOLS_OLDEST_AT = 56
      # Behind the counters: for how long its threads have been busy with units; 0 until the first.
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
      # Zeros: the unit was in none.
      NO_TRACE = "0" * 32
      # Of the entry's number of how it began: it is a time of rest, and no number of units.
      RESTED = 1 << 31

      SERIES_BYTES = 25_600
      KINDS = {1 => :request, 2 => :job, 3 => :account, 4 => :nested, 5 => :overflow}.freeze
      # What a slot's units have in common: where each text is and its room. Their lengths are at 4, in that
      # order.
      SERIES_TEXTS = {name: [16, 200], queue: [216, 64], pool: [424, 64], priority: [488, 16]}.freeze
      SERIES_HEAD = "L<3S<2"
      COUNT_OFFSET = 280
      ERRORS_OFFSET = 288
      SUMS_OFFSET = 296
      SUMS = %i[
        cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns gc_ns caused_ns acquisitions preemptions
        hold_squares_us2 pool_wait_ns pool_held_ns
      ].freeze

      HISTOGRAMS_OFFSET = 512
      HISTOGRAM_BYTES = 4160
      HISTOGRAMS = %i[wall running stalled idle queued longest_hold].freeze
      HISTOGRAM_FIELDS = %i[count sum min max zero lo hi].freeze
      BUCKETS_OFFSET = 64
      # Behind the histograms: how long the path is, and the path.
      PATH_OFFSET = 25_472
      PATH_BYTES = 120
      BUCKETS = 512

      # A reader believes no header beyond these, so that a damaged file costs neither memory nor time.
      MAX_SERIES = 100_000
      MAX_RING = 1 << 22
      # No sum of nanoseconds gets here in 70 years, and every store can keep it.
      MAX_NUMBER = 1 << 61
      PAGE_BYTES = 4096

      # @return [Integer] where the series table starts after a ring of that many entries
      def self.series_offset(ring_capacity)
        past_ring = RING_OFFSET + ring_capacity * RING_ENTRY_BYTES
        -(-past_ring / PAGE_BYTES) * PAGE_BYTES
      end

      # @return [Integer] where histogram number `index` of a series slot starts, from the slot's first byte
      def self.histogram_offset(index)
        HISTOGRAMS_OFFSET + index * HISTOGRAM_BYTES
      end
    end
  end
end
