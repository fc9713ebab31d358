# frozen_string_literal: true

plugin :holdup
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
threads 5, 5
workers Integer(ENV.fetch("WORKERS"))
silence_single_worker_warning
worker_shutdown_timeout 1
