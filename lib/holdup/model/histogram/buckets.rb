# frozen_string_literal: true

module Holdup
  Histogram = Data.define(:count, :sum, :min, :max, :zero, :offset, :counts)

  # Where the buckets lie: base-2 exponential, scale 4, the index rule of OpenTelemetry. Index i covers
  # (2^(i/16), 2^((i+1)/16)] nanoseconds. Only integers decide: a logarithm in floating point is wrong by one
  # at the boundaries, and the C half would then disagree with this one.
  module Histogram::Buckets
    SCALE = 4
    MIN_INDEX = 160 # lower bound 2^10 ns: below a microsecond the clock itself is the noise
    SLOTS = 512     # up to 2^42 ns, about 73 minutes
    FLOOR_NS = 1024 # values up to here are counted as `zero`

    # BOUNDS[slot] is the largest integer that lies under the slot; BOUNDS[slot + 1] the largest inside it.
    BOUNDS = (MIN_INDEX..MIN_INDEX + SLOTS).map { |index|
      guess = (2.0**(index / 16.0)).floor
      guess += 1 while (guess + 1)**16 <= 1 << index
      guess -= 1 while guess**16 > 1 << index
      guess
    }.freeze

    module_function

    # @param value [Integer] nanoseconds, above 0
    # @return [Integer] the index by OpenTelemetry's rule, not clipped: the largest i with 2^i < value^16
    def index(value) = (value**16 - 1).bit_length - 1

    # @param value [Integer] nanoseconds, above FLOOR_NS
    # @return [Integer] 0...SLOTS; what is too long goes in the last
    def slot(value)
      (index(value) - MIN_INDEX).clamp(0, SLOTS - 1)
    end

    # @return [Integer] the smallest integer that falls in the slot
    def first(slot) = BOUNDS[slot] + 1

    # @return [Integer] the largest integer that falls in the slot
    def last(slot) = BOUNDS[slot + 1]
  end
end
