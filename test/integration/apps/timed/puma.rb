# frozen_string_literal: true

plugin :holdup unless ENV["WITHOUT_HOLDUP"]
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
threads 3, 3
workers Integer(ENV.fetch("WORKERS", "0"))
preload_app! ENV["PRELOAD"] != "0"
fork_worker if ENV["FORK_WORKER"]
worker_shutdown_timeout Integer(ENV["SHUTDOWN_TIMEOUT"]) if ENV["SHUTDOWN_TIMEOUT"]
