# frozen_string_literal: true

# Written by bin/generate from ext/holdup/segment/segment_layout.h.

module Holdup
  # The numbers of requests and jobs, in the order of the segment. Those of histograms are nanoseconds.
  module UnitNumbers
    # Sums of the states in which a unit holds the GVL.
    RUNNING_STATES = %i[
      cpu_ns starved_ns
    ].freeze
    # Sums of the states in which it neither holds nor wants it.
    IDLE_STATES = %i[
      io_ns lock_ns sleep_ns native_ns
    ].freeze
    SUMS = %i[
      cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns gc_ns caused_ns acquisitions preemptions
      hold_squares_us2 pool_wait_ns pool_held_ns objects objects_own_ns objects_others_ns malloc_bytes
      slot_bytes slot_objects
    ].freeze
    # Those that threads outside of units have too, as sums without a distribution, come first.
    HISTOGRAMS = %i[
      wall running stalled idle queued longest_hold
    ].freeze

    # The states that add up to the elapsed time, in the order in which they are shown: cpu, starved, ...
    # Each with the sum that has it; stalled has a histogram.
    STATES = [*RUNNING_STATES, :stalled, *IDLE_STATES]
      .to_h { |number| [number.to_s.delete_suffix("_ns").to_sym, number] }.freeze
    # Of each series and minute so many of the slowest are kept singly.
    SLOWEST_EACH = 10
    # Members of a Measurement, in the order in which the probe gives them.
    MEASURED = [*HISTOGRAMS.map { |name| :"#{name}_ns" }, :in_flight, *SUMS].freeze
  end
end
