# frozen_string_literal: true

module Holdup
  module Analysis
    # Shares from which on several parts say the same: one part must not call something full or slow that
    # another one calls fine.
    module Thresholds
      # CPUs, memory and threads count as used up from this share of them on: beyond it a queue's length is
      # mostly chance (OpenModel).
      FULL = 0.85
      # Share of the elapsed time: less stall does not matter.
      STALLED = 0.05
      # Share of the elapsed time: less time in which a thread held the GVL and had no CPU does not matter.
      STARVED = 0.05
      # Share of all stall: who causes as much is its cause.
      CAUSED = 0.3
    end
  end
end
