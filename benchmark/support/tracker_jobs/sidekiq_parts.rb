# frozen_string_literal: true

require_relative "job_part"
require_relative "job_predictions"
require_relative "job_queues"

module Bench
  # Sidekiq on a Redis of its own.
  class SidekiqPart < BacklogPart
    NAME = "sidekiq"
    TITLE = "Sidekiq"
    COUNT = "threads"
    UNIT = "job"
    WAITS = "GVL wait"
    PREDICTIONS = BacklogPredictions
    SETTINGS = [[5], [1], [10]].freeze
    UNITS = ["jobs"].freeze

    private

    def prepared
      Holdup::Lab::Redis.run(path: ENV.fetch("PATH")) do |url|
        @queues = queues(url)
        TrackerApp.open(env: {"TRACKER_JOBS" => "sidekiq", "REDIS_URL" => url}) { |app| yield app }
      end
    end

    def queues(url) = [SidekiqQueue.new(url)]

    def booted(size, segments:, store:, &)
      @queues.each { |queue| queue.fill(backlog) }
      JobRunner.run(@app.with(env(size)), command(size), segments:, store:, &)
    end

    def command(size)
      [*JobRunner::SIDEKIQ, "-c", size.first.to_s, "-q", @queues.first.name]
    end

    def env(size) = {"TRACKER_CONNECTIONS" => size.sum.to_s}

    # @raise [Failure]
    def check_backlog
      raise Failure, "a queue of Sidekiq ran empty" if @queues.any?(&:empty?)
    end
  end

  # Sidekiq with a capsule for light jobs and one for heavy ones.
  class CapsulesPart < SidekiqPart
    NAME = "capsules"
    TITLE = "Sidekiq with two capsules"
    COUNT = "light + heavy"
    SETTINGS = [[3, 2], [3, 6], [10, 2]].freeze
    UNITS = ["light jobs", "heavy jobs"].freeze

    private

    def queues(url)
      {"light" => JobDeck::LIGHT, "heavy" => JobDeck::HEAVY}.map do |name, kinds|
        SidekiqQueue.new(url, name:, kinds:)
      end
    end

    def env(size) = super.merge("TRACKER_HEAVY_THREADS" => size.last.to_s)

    def units_of(job) = "#{job.series.queue} jobs"
  end
end
