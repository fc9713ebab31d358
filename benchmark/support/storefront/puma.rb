# frozen_string_literal: true

require "tools"

# One worker: on a small machine the other cores are for the load, the database's peer and the rest.
workers 1
threads 5, 5
preload_app!
silence_single_worker_warning
worker_timeout 600 # the bench pauses whoever is not measured
environment "production"
rackup File.join(__dir__, "config.ru")
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"

name = ENV.fetch("BENCH_TOOL")
if name == "holdup"
  plugin :holdup
else
  before_worker_boot { Bench::Tools.find(name).start }
end
