# frozen_string_literal: true

threads_count = ENV.fetch("STOREFRONT_THREADS", 5).to_i
threads threads_count, threads_count
workers ENV.fetch("STOREFRONT_WORKERS", 2).to_i
preload_app!

environment ENV.fetch("RAILS_ENV", "production")
bind "tcp://#{ENV.fetch("STOREFRONT_BIND", "127.0.0.1")}:#{ENV.fetch("PORT", 9300)}"
plugin :holdup
