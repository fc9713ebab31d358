# frozen_string_literal: true

unless ENV["WITHOUT_HOLDUP"]
  require "holdup"
  Holdup.start
end

listen "127.0.0.1:#{ENV.fetch("PORT")}"
worker_processes Integer(ENV.fetch("WORKERS", "2")) # as the tests want it
setpgid false # the tests know what they started by its process group
refork_after [Integer(ENV["REFORK_AFTER"])] if ENV["REFORK_AFTER"]

after_worker_ready { |server, worker| server.logger.info("the user's own hook, worker #{worker.nr}") }
before_service_worker_ready { |server, _service| server.logger.info("the service is ready") } if ENV["SERVICE"]
