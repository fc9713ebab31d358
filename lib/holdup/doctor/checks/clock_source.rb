# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # What the probe reads the time from. Both are right; the CPU's counter costs less.
      module ClockSource
        def self.call(host)
          return [] unless host.clock_source
          CheckResult.ok((host.clock_source == "counter") ? :clock_counter : :clock_monotonic)
        end
      end
    end
  end
end
