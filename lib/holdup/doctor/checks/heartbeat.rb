# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Living processes whose ticker stands still: gauges and the accounts of threads outside units are then
      # old.
      module Heartbeat
        STALE_S = 20 # four of the longest ticks

        def self.call(host)
          stale = host.alive.reject(&:closed).to_h { |segment|
            [segment.pid,
              (host.now_ns - segment.heartbeat_ns) / 1_000_000_000]
          }
            .select { |_, age_s|
            age_s > STALE_S
          }
          return [] if stale.empty?
          CheckResult.warn(:heartbeat, pids: stale.keys.join(", "), seconds: stale.values.max)
        end
      end
    end
  end
end
