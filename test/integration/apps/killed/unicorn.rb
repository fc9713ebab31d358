# frozen_string_literal: true

require "holdup"
Holdup.start

listen "127.0.0.1:#{ENV.fetch("PORT")}"
worker_processes 2
preload_app false
timeout 60
