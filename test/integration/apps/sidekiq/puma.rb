# frozen_string_literal: true

bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
threads 3, 3
workers 1
preload_app!
silence_single_worker_warning
plugin :holdup

sidekiq = nil

before_worker_boot do
  sidekiq = Sidekiq.configure_embed do |config|
    config.queues = %w[default low]
    config.concurrency = 2
  end
  sidekiq.run
end

before_worker_shutdown { sidekiq&.stop }
