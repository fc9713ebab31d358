# frozen_string_literal: true

require_relative "unit_numbers"

module Holdup
  # What one unit cost, as the probe measured it. Members have the order of `Probe.finish`.
  #
  # Integers; `_ns` are nanoseconds. wall = running + stalled + idle, running = cpu + starved, idle = io +
  # lock + sleep + native.
  #
  # - `hold_squares_us2`: sum over the unit's GVL holds of (length in microseconds) squared
  # - `queued_ns`: nil when the arrival of the request is unknown
  # - `in_flight`: mean number of units in this process while this one ran (not while it waited), in 1/1000
  # - `pool_wait_ns`: the part of sleep (or lock) spent waiting for a database connection; `pool_held_ns`: how
  #   long the unit kept connections from others
  # - `objects`: that the process allocated in intervals in which this unit ran for `objects_own_ns` and other
  #   threads for `objects_others_ns`: see Analysis::Allocations; `malloc_bytes`: what malloc gave it in them
  # - `slot_bytes`, `slot_objects`: slots and objects of the intervals among them that were sampled
  Measurement = Data.define(*UnitNumbers::MEASURED)
end
