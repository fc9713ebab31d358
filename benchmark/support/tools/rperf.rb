# frozen_string_literal: true

require "rperf"
require "tools"

module Bench
  module Tools
    # The profiler as it is by default but for the clock: on the wall's it weighs what waits for the GVL too.
    class Rperf < None
      def start = ::Rperf.start(mode: :wall)

      def stop = ::Rperf.stop
    end
  end
end
