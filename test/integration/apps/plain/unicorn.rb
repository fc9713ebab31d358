# frozen_string_literal: true

unless ENV["WITHOUT_HOLDUP"]
  require "holdup"
  Holdup.start
end

listen "127.0.0.1:#{ENV.fetch("PORT")}"
worker_processes Integer(ENV.fetch("WORKERS", "2")) # as the tests want it
preload_app ENV["PRELOAD"] == "1"
worker_exec ENV["WORKER_EXEC"] == "1"
timeout 15
pid File.expand_path("../unicorn.pid", ENV.fetch("HOLDUP_DIR")) unless ENV["WORKER_EXEC"] # they can't both

# Where people put such a line too: HOOK names one.
def start_in(hook)
  return unless ENV["HOOK"] == hook
  require "holdup"
  Holdup.start
end

after_fork { |_server, _worker| start_in("after_fork") }
after_worker_ready do |server, worker|
  server.logger.info("the user's own hook, worker #{worker.nr}")
  start_in("after_worker_ready")
end
