# frozen_string_literal: true

# A second capsule for the heavy jobs, when it is to have threads.
if Tracker::JOB_RUNNER == "sidekiq"
  Sidekiq.configure_server do |config|
    config.logger.level = Logger::WARN # threads would queue for its lock
    heavy_threads = ENV["TRACKER_HEAVY_THREADS"]
    next unless heavy_threads
    config.capsule("heavy") do |capsule|
      capsule.concurrency = Integer(heavy_threads)
      capsule.queues = %w[heavy]
    end
  end
end
