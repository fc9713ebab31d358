# frozen_string_literal: true

module Holdup
  module Capture
    # Layout of a capture's file, version 2, as in ext/holdup/capture/capture_layout.h. Little endian; times
    # are ticks of the probe's clock. Any change here needs a new VERSION. Version 1 had no stacks.
    module Layout
      MAGIC = "HOLDUPEV"
      VERSION = 2
      READABLE = [1, VERSION].freeze
      HEADER_BYTES = 4096
      HEADER_FORMAT = "a8 L<2 Q<20 q<"
      HEADER_FIELDS = %i[
        magic version header_bytes pid start begin_ticks end_ticks begin_real_ns rate head capacity
        event_bytes threads_offset thread_capacity thread_bytes thread_count names_offset name_capacity
        name_bytes events_offset state event_cost_ps threads_lost worker_index
      ].freeze
      # The probe's sums over all threads (ticks), at the capture's start and end.
      SUMS = %i[running stalled io lock sleep caused gc handoff].freeze
      SUMS_AT = [184, 248].freeze
      # Offset of the facts about the caught unit: its number, what it stalled and took (ns), its last event,
      # its series.
      CAUGHT = 312
      CAUGHT_FIELDS = %i[caught caught_stalled_ns caught_wall_ns caught_event caught_series].freeze
      # The capture's reason: u32 bytes, then flat JSON.
      FACTS = 2048
      FACTS_BYTES = HEADER_BYTES - FACTS - 4
      CLOSED = 1
      RATE_UNIT = 1 << 32

      EVENT_BYTES = 32
      EVENT_FORMAT = "L<2Q<2L<S<C2"
      KINDS = %i[
        none begin ready resumed suspended started exited unit_open unit_start unit_end unit_turn unit_named
        gc_start gc_end fork setting stack_held stack_stalled unit_trace pool_wait
      ].freeze
      # A stack may be written a second after its event.
      LATE = %i[stack_held stack_stalled].freeze
      PHASES = %i[unknown running waiting idle exited].freeze
      IDLE_KINDS = %i[io lock sleep].freeze

      # Bits of an event's flags above the phase; their meaning depends on the event's kind.
      FLAGS = {closed: 4, unended: 8, yielded: 64, blocking: 128, failed: 4, job: 8, high: 4, fibers: 4,
               lost: 8}.freeze
      IDLE_SHIFT = 4

      THREAD_BYTES = 96
      THREAD_FORMAT = "L<2Q<L<2a64"
      NAME_BYTES = 272
      NAME_FORMAT = "L<2a200a64"

      # See ext/holdup/capture/capture_stack_layout.h.
      STACKS_AT = 384
      STACK_FORMAT = "Q<14"
      STACK_FIELDS = %i[
        frames_offset frame_capacity frame_bytes frame_count nodes_offset node_capacity node_bytes node_count
        over_ns taken missed first_event stack_ns watch_ns
      ].freeze
      FRAME_BYTES = 320
      FRAME_FORMAT = "L<4a120a184"
      NODE_BYTES = 12

      # A reader rejects a header beyond these.
      MAX_EVENTS = 1 << 22
      MAX_TABLE = 1 << 16
      MAX_BYTES = HEADER_BYTES + MAX_EVENTS * EVENT_BYTES +
        MAX_TABLE * (THREAD_BYTES + NAME_BYTES + FRAME_BYTES + NODE_BYTES)
    end
  end
end
