# frozen_string_literal: true

threads_count = Integer(ENV.fetch("RAILS_MAX_THREADS", "5"))
threads threads_count, threads_count
workers Integer(ENV.fetch("WEB_CONCURRENCY", "1"))
silence_single_worker_warning
preload_app!

environment "production"
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
plugin :holdup
