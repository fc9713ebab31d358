# frozen_string_literal: true

require_relative "../unit_sample"

module Holdup
  # Which units are drawn when there are too many: those with the lowest lots. A unit's lot hangs on nothing but when it
  # started, so whoever draws from whichever part of the units, in any order and however often, draws the same ones. That makes samples mergeable
  # (the lowest of two samples' lowest are the lowest of all) and a repeated unit harmless.
  module SampleBlock::DrawPriority
    BITS = 32
    HIGHEST = (1 << BITS) - 1
    LOW = (1 << 30) - 1

    module_function

    # Mixed in small integers only: it is asked of every unit that a host serves.
    # @param start_ns [Integer]
    # @param seed [Integer] another one draws others
    # @return [Integer] 0..HIGHEST, each as likely
    def of(start_ns, seed = 0)
      time = start_ns / 1000 ^ seed
      mixed = (time & LOW) * 0x2c1b3c6d + (time >> 30) * 0x297a2d39
      mixed = (mixed & LOW ^ mixed >> 29) * 0x5bd1e995
      mixed = (mixed >> 31 ^ mixed & LOW) * 0x1b873593
      (mixed ^ mixed >> 28) >> 12 & HIGHEST
    end
  end
end
