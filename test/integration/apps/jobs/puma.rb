# frozen_string_literal: true

plugin :holdup if ENV["WITH_PLUGIN"]
plugin :solid_queue if ENV["PLUGIN_MODE"]
solid_queue_mode ENV["PLUGIN_MODE"].to_sym if ENV["PLUGIN_MODE"]
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
threads 2, 2
workers Integer(ENV.fetch("WORKERS", "0"))
worker_shutdown_timeout 1 # Ruby 3.4's IO#close can hang in a worker that stops; Puma kills it then

preload_app! if ENV["WORKERS"]

if ENV["ADAPTER"] == "good_job" && ENV["WORKERS"]
  before_fork { GoodJob.shutdown }
  before_worker_boot { GoodJob.restart }
  before_worker_shutdown { GoodJob.shutdown }
end
