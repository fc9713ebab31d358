# frozen_string_literal: true

# What the Sidekiq of the benchmark loads: the lab's jobs, and a second capsule for those that compute.
require_relative "../../../lib/holdup/features/lab/jobs/mix"

Sidekiq.configure_server do |config|
  config.capsule("heavy") do |capsule|
    capsule.concurrency = Integer(ENV.fetch("BENCH_HEAVY_THREADS"))
    capsule.queues = %w[heavy]
  end
end
