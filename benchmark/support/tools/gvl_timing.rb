# frozen_string_literal: true

require "gvl_timing"
require "tools"

module Bench
  module Tools
    # A timer a unit; each open timer is a hook of its own.
    class GvlTiming < None
      def open = GVLTiming::Timer.new.tap(&:start)

      def unit
        GVLTiming.measure { GvlWork.release(RELEASES) }
      end
    end
  end
end
