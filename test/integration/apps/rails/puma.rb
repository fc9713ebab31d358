# frozen_string_literal: true

plugin :holdup if ENV["WITH_PLUGIN"]
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
threads 2, 2
workers Integer(ENV.fetch("WORKERS", "0"))
preload_app! ENV["PRELOAD"] != "0"
