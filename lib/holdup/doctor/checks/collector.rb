# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether something carries the segments to the store.
      module Collector
        # It starts beside the server, and needs a moment longer.
        START_NS = 20_000_000_000

        def self.call(host)
          return CheckResult.ok(:collector) if host.collector
          if host.alive.any? && host.segments.all? { |process| host.now_ns - process.born_ns < START_NS }
            return CheckResult.warn(:collector_starting)
          end
          host.segments.empty? ? CheckResult.warn(:collector_idle) : CheckResult.fail(:collector_none)
        end
      end
    end
  end
end
