# frozen_string_literal: true

# Takes jobs as Sidekiq Pro's super_fetch does: a job that is at work is in a list of its process, from which
# its end removes it.
class PrivateListFetch
  include Sidekiq::Component

  IDLE_S = 0.05

  Work = Struct.new(:queue, :job, :list, :config) do
    def queue_name = queue.delete_prefix("queue:")

    def acknowledge
      config.redis { |redis| redis.call("LREM", list, -1, job) }
    end

    def requeue
      config.redis do |redis|
        redis.call("RPUSH", queue, job)
        redis.call("LREM", list, -1, job)
      end
    end
  end

  def initialize(capsule)
    @config = capsule
    @queues = capsule.queues.uniq.map { |name| "queue:#{name}" }
  end

  def retrieve_work
    @queues.each do |queue|
      list = "#{queue}:at_work"
      job = redis { |one| one.call("LMOVE", queue, list, "RIGHT", "LEFT") }
      return Work.new(queue, job, list, @config) if job
    end
    sleep IDLE_S
    nil
  end

  def bulk_requeue(works) = works.each(&:requeue)
end

Sidekiq.configure_server do |config|
  case ENV.fetch("FETCH")
  when "private" then config[:fetch_class] = PrivateListFetch
  when "limit"
    require "sidekiq-limit_fetch"
    config[:limits] = {"default" => 1}
  when "cron"
    require "sidekiq-cron"
    Sidekiq::Cron.configure { |cron| cron.cron_poll_interval = 1 }
    config.on(:startup) { Sidekiq::Cron::Job.create(name: "often", cron: "* * * * * *", class: "PlainJob") }
  end
end
