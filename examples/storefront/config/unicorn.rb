# frozen_string_literal: true

require "holdup"
Holdup.start

listen "127.0.0.1:#{ENV.fetch("PORT", 9300)}"
worker_processes ENV.fetch("STOREFRONT_WORKERS", 2).to_i
preload_app true
