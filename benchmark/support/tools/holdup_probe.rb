# frozen_string_literal: true

require "tools/holdup"

module Bench
  module Tools
    # The same without the Ruby around the probe: what the C costs.
    class HoldupProbe < Holdup
      JOB = 2

      def unit
        handle = ::Holdup::Probe.enter
        GvlWork.release(RELEASES)
        ::Holdup::Probe.record(handle, JOB, "ReportJob", nil, nil, false)
      end
    end
  end
end
