# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # How far away Redis is from the Sidekiq processes. A thread fetches one job at a time, so it pays at
      # least one round trip for each, and one for each command of a job. The limit is Sidekiq's own
      # (lib/sidekiq/launcher.rb, check_rtt): below 1 ms is ideal, below 10 ms workable.
      module Redis
        WORKABLE_NS = 10_000_000
        NS_PER_MS = 1_000_000.0
        NS_PER_S = 1_000_000_000

        def self.call(host)
          slowest = host.alive.filter_map { |process| process.gauges[:redis_rtt_ns] }.max or return []
          told = {rtt: (slowest / NS_PER_MS).round(2), jobs: NS_PER_S / [slowest, 1].max}
          (slowest < WORKABLE_NS) ? CheckResult.ok(:redis, **told) : CheckResult.warn(:redis_slow, **told)
        end
      end
    end
  end
end
