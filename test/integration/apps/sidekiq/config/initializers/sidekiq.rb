# frozen_string_literal: true

# A middleware that wants to be first, added where it comes after everything of the application.
class Greedy
  include Sidekiq::ServerMiddleware

  def call(*)
    Sidekiq.redis { |redis|
      redis.call("SET", "reported:chain", config.server_middleware.map { |entry| entry.klass.name }.join(" "))
    }
    yield
  end
end

Sidekiq.configure_server do |config|
  config[:poll_interval_average] = 0.2 # else the first retry comes after ten seconds
  config.capsule("single") do |capsule|
    capsule.concurrency = 1
    capsule.queues = %w[single]
  end
  if ENV["MAX_RSS"]
    require "sidekiq/worker_killer"
    killer = {max_rss: Integer(ENV.fetch("MAX_RSS")), grace_time: 0, shutdown_wait: 0}
    config.server_middleware { |chain| chain.add(Sidekiq::WorkerKiller, **killer) }
  end
  config.on(:startup) { config.server_middleware { |chain| chain.prepend(Greedy) } }
end
require_relative "../../fetchers" if ENV["FETCH"]
