# frozen_string_literal: true

require_relative "job_part"
require_relative "job_predictions"
require_relative "job_queues"

module Bench
  # Solid Queue, whose tables are in the database that its jobs ask.
  class SolidQueuePart < BacklogPart
    NAME = "solid-queue"
    TITLE = "Solid Queue"
    COUNT = "threads"
    UNIT = "job"
    WAITS = "GVL wait"
    PREDICTIONS = BacklogPredictions
    SETTINGS = [[3], [1], [10]].freeze
    UNITS = ["jobs"].freeze
    # Its own threads need some as well.
    MORE_CONNECTIONS = 3

    private

    def prepared(&)
      TrackerApp.open(env: {"TRACKER_JOBS" => "solid_queue"}, &)
    end

    def booted(size, segments:, store:, &)
      SolidQueueTables.new(@app).fill(backlog)
      JobRunner.run(@app.with(env(*size)), JobRunner::SOLID_QUEUE, segments:, store:, &)
    end

    def env(threads)
      {"TRACKER_JOB_THREADS" => threads.to_s, "TRACKER_CONNECTIONS" => (threads + MORE_CONNECTIONS).to_s}
    end
  end
end
