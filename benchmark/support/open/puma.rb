# frozen_string_literal: true

threads_count = Integer(ENV.fetch("RAILS_MAX_THREADS"))
threads threads_count, threads_count
workers Integer(ENV.fetch("WEB_CONCURRENCY"))
silence_single_worker_warning
preload_app!

environment "production"
rackup File.join(__dir__, "config.ru")
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
plugin :holdup

# Sidekiq inside of the worker, when it is to have threads.
if (job_threads = ENV["OPEN_JOB_THREADS"])
  sidekiq = nil
  before_worker_boot do
    require_relative "../exact/jobs"
    sidekiq = Sidekiq.configure_embed do |config|
      config.logger.level = Logger::WARN
      config.queues = [ENV.fetch("OPEN_QUEUE")]
      config.concurrency = Integer(job_threads)
    end
    sidekiq.run
  end
  before_worker_shutdown { sidekiq&.stop }
end
