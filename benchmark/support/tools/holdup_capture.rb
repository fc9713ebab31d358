# frozen_string_literal: true

require "tools/holdup_probe"

module Bench
  module Tools
    # The probe while a capture is on: every event goes to the ring as well.
    class HoldupCapture < HoldupProbe
      EVENTS = 200_000
      STACKS_OVER_NS = 0

      def start
        super
        ::Holdup::Probe.open_capture(File.join(ENV.fetch("HOLDUP_BENCH_SCRATCH"), "events"), EVENTS, 0, 0,
          self.class::STACKS_OVER_NS)
      end

      def stop
        ::Holdup::Probe.close_capture
        super
      end
    end
  end
end
