# frozen_string_literal: true

require "open3"
require "sidekiq"
require_relative "../tracker/app"
require_relative "job_deck"

module Bench
  # A queue of Sidekiq, in a Redis of the bench.
  class SidekiqQueue
    attr_reader :name

    # @param url [String] of Redis
    # @param name [String] of the queue
    # @param kinds [Array<JobDeck::JobKind>]
    def initialize(url, name: "default", kinds: JobDeck::ALL)
      @name = name
      @deck = JobDeck.new(kinds)
      @pool = ::Sidekiq::RedisConnection.create(url:, size: 1)
      @client = ::Sidekiq::Client.new(pool: @pool)
    end

    # Removes what is left, and puts in so many jobs.
    def fill(count)
      clear
      @deck.take(count).each { |job| push(*job) }
    end

    def push(job, argument)
      @client.push("class" => job, "args" => [argument], "queue" => name, "retry" => false)
    end

    def push_next = push(*@deck.draw)

    def clear
      @pool.with { |redis| redis.call("DEL", "queue:#{name}") }
    end

    # @return [Boolean] whether no job waits
    def empty?
      @pool.with { |redis| redis.call("LLEN", "queue:#{name}") }.zero?
    end
  end

  # The tables of Solid Queue, in the tracker's own database.
  class SolidQueueTables
    # @param app [TrackerApp]
    def initialize(app)
      @app = app
      @deck = JobDeck.new(JobDeck::ALL)
    end

    # See SidekiqQueue#fill. Active Job enqueues in bulk, in a process of the application.
    # @raise [Failure]
    def fill(count)
      output, status = Open3.capture2e({**@app.env, "HOLDUP_ENABLED" => "false"}, RbConfig.ruby,
        *Fresh::LOAD_PATH, "bin/enqueue", chdir: TrackerApp::ROOT,
        stdin_data: JSON.generate(@deck.take(count)))
      return if status.success?
      raise Failure, "the jobs could not be enqueued:\n#{output.lines.grep_v(/\A\s+from /).last(8).join}"
    end
  end
end
