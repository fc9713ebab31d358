# frozen_string_literal: true

require "unicorn/worker_killer"

# As an application has it, but that it looks after each request.
limit_bytes = Integer(ENV.fetch("LIMIT"))
use Unicorn::WorkerKiller::Oom, limit_bytes, limit_bytes + 1, 1
Unicorn::WorkerKiller.configure do |config|
  config.max_quit = Integer(ENV.fetch("MAX_QUIT"))
  config.max_term = config.max_quit
end

KEPT = []

run(lambda do |env|
  case env["PATH_INFO"]
  when "/grow" then KEPT << ("x" * Integer(ENV.fetch("GROWTH")))
  when "/held"
    File.write(ENV.fetch("BEGUN"), "")
    sleep(0.01) until File.exist?(ENV.fetch("RELEASE"))
  end
  [200, {}, [Process.pid.to_s]]
end)
