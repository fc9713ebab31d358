# frozen_string_literal: true

plugin :holdup if ENV["WITH_PLUGIN"]
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
threads 2, 2
workers Integer(ENV.fetch("WORKERS", "0"))
worker_shutdown_timeout 1 # Ruby 3.4's IO#close can hang in a worker that stops; Puma kills it then
preload_app! ENV["PRELOAD"] != "0"
