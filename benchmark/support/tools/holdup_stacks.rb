# frozen_string_literal: true

require "tools/holdup_capture"

module Bench
  module Tools
    # The same while stacks are taken as well.
    class HoldupStacks < HoldupCapture
      STACKS_OVER_NS = 10_000_000
    end
  end
end
