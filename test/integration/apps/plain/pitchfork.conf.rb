# frozen_string_literal: true

unless ENV["WITHOUT_HOLDUP"]
  require "holdup"
  Holdup.start
end

listen "127.0.0.1:#{ENV.fetch("PORT")}"
worker_processes Integer(ENV.fetch("WORKERS", "2")) # as the tests want it
setpgid false # the tests know what they started by its process group
refork_after [Integer(ENV["REFORK_AFTER"])] if ENV["REFORK_AFTER"]

# Where people put such a line too: HOOK names one.
def start_in(hook)
  return unless ENV["HOOK"] == hook
  require "holdup"
  Holdup.start
end

after_mold_fork { |_server, _mold| start_in("after_mold_fork") }
after_worker_fork { |_server, _worker| start_in("after_worker_fork") }
after_worker_ready do |server, worker|
  server.logger.info("the user's own hook, worker #{worker.nr}")
  start_in("after_worker_ready")
end
if ENV["SERVICE"]
  before_service_worker_ready { |server, _service| server.logger.info("the service is ready") }
end
