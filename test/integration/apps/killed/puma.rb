# frozen_string_literal: true

require "puma_worker_killer"

plugin :holdup
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
workers 2
threads 1, 1
preload_app!
before_fork do
  PumaWorkerKiller.config do |config|
    config.ram = Integer(ENV.fetch("RAM"))
    config.frequency = 0.2
    config.rolling_restart_frequency = false
    config.on_calculation = ->(megabytes) { File.write(ENV.fetch("COUNTED"), megabytes.to_s) }
  end
  PumaWorkerKiller.start
  # As the killer does when the memory exceeds its limit, when a test asks for it.
  Thread.new do
    sleep(0.1) until File.exist?(ENV.fetch("REAP"))
    PumaWorkerKiller::Reaper.new(0).reap
  end
end
