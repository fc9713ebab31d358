# frozen_string_literal: true

# The storefront's Puma with puma_worker_killer: it ends the largest worker when the memory of all processes
# exceeds STORY_RAM_MB. The largest sum that it has seen is in the file STORY_MOST_MB.

require "puma_worker_killer"

configuration = File.expand_path("../../../examples/storefront/config/puma.rb", __dir__)
instance_eval(File.read(configuration), configuration)

before_fork do
  most_mb = 0
  PumaWorkerKiller.config do |config|
    config.ram = Integer(ENV.fetch("STORY_RAM_MB"))
    config.frequency = 5
    config.rolling_restart_frequency = false
    config.on_calculation = lambda do |mb|
      most_mb = [most_mb, mb].max
      File.write(ENV.fetch("STORY_MOST_MB"), most_mb.ceil.to_s)
    end
  end
  PumaWorkerKiller.start
end
