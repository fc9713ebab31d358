# frozen_string_literal: true

module Holdup
  Histogram = Data.define(:count, :sum, :min, :max, :zero, :offset, :counts)

  # Bounds of the buckets: base-2 exponential, scale 4, OpenTelemetry's index rule. Index i covers (2^(i/16),
  # 2^((i+1)/16)] ns. Integers only: a floating-point logarithm is off by one at the bounds, and the C half
  # would disagree.
  module Histogram::Buckets
    SCALE = 4
    MIN_INDEX = 160 # lower bound 2^10 ns: below a microsecond the clock itself is the noise
    SLOTS = 512     # up to 2^42 ns, about 73 minutes
    FLOOR_NS = 1024 # values up to here are counted as `zero`

    # BOUNDS[slot] is the largest integer below the slot; BOUNDS[slot + 1] the largest inside it.
    BOUNDS = (MIN_INDEX..MIN_INDEX + SLOTS).map { |index|
      guess = (2.0**(index / 16.0)).floor
      guess += 1 while (guess + 1)**16 <= 1 << index
      guess -= 1 while guess**16 > 1 << index
      guess
    }.freeze

    module_function

    # @return [Integer] OpenTelemetry's index, not clipped: the largest i with 2^i < value^16
    def index(value) = (value**16 - 1).bit_length - 1

    # A logarithm guesses, and the bounds decide: `index` computes with numbers of hundreds of bits.
    # @return [Integer] 0...SLOTS; longer durations go in the last slot
    def slot(value)
      return 0 if value <= FLOOR_NS
      return SLOTS - 1 if value > BOUNDS[SLOTS - 1]
      guess = (16 * Math.log2(value)).to_i - MIN_INDEX
      return guess - 1 if value <= BOUNDS[guess]
      (value > BOUNDS[guess + 1]) ? guess + 1 : guess
    end

    # Smallest integer in the slot.
    def first(slot) = BOUNDS[slot] + 1

    # Largest integer in the slot.
    def last(slot) = BOUNDS[slot + 1]
  end
end
