# frozen_string_literal: true

# The storefront's Puma for bin/soak --faults: each worker loads the application itself, so that a phased
# restart is possible, and counts its requests.
require_relative "finished_units"
require "puma/server"

threads_count = ENV.fetch("STOREFRONT_THREADS", 5).to_i
threads threads_count, threads_count
workers ENV.fetch("STOREFRONT_WORKERS", 2).to_i
preload_app! false
environment ENV.fetch("RAILS_ENV", "production")
bind "tcp://127.0.0.1:#{ENV.fetch("PORT", 9300)}"
rackup File.join(__dir__, "config.ru")
plugin :holdup

Puma::Response.prepend(Soak::FinishedUnits::FinishedRequests)
