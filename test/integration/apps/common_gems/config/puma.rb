# frozen_string_literal: true

threads 2, 2
port ENV.fetch("PORT"), "127.0.0.1"
workers Integer(ENV.fetch("WORKERS", "0"))
preload_app! ENV["PRELOAD"] == "1"
plugin :holdup if ENV["WITH_PLUGIN"]

if ENV["SOLID_QUEUE_IN_PUMA"]
  plugin :solid_queue
  solid_queue_mode ENV["SOLID_QUEUE_IN_PUMA"].to_sym
end

# As GoodJob's README says for a cluster.
if ENV["GOOD_JOB_EXECUTION_MODE"] == "async" && ENV["PRELOAD"]
  before_fork { GoodJob.shutdown }
  before_worker_boot { GoodJob.restart }
  before_worker_shutdown { GoodJob.shutdown }
end
