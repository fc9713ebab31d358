# frozen_string_literal: true

plugin :holdup
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
threads 5, 5
workers 2
preload_app!
worker_check_interval 1 # a worker that was killed is replaced then
