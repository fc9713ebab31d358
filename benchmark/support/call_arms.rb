# frozen_string_literal: true

require "active_support"
require "active_support/notifications"
require "holdup"

module Bench
  # Empty calls, with Holdup around them or without, by the names of their arms. A process can have several.
  class CallArms
    EVENT = "sql.active_record"
    PUSH = "enqueue.active_job"
    POOL = Struct.new(:db_config).new(Struct.new(:name).new("primary"))

    # As Active Record's connections: an object (a Struct keeps variables elsewhere) with the method of 8.1
    # that each query passes through.
    class QueriedConnection
      attr_reader :pool

      def initialize
        @config = {adapter: "postgresql", database: "shop", host: "db"}
        @pool = POOL
      end

      def query = log("SELECT * FROM orders WHERE id = $1", "Order Load", [], [], async: false) { nil }

      private

      def log(sql, name = "SQL", binds = [], type_casted_binds = [], async: false, allow_retry: false, &block)
        ActiveSupport::Notifications.instrument(EVENT,
          {sql:, name:, binds:, type_casted_binds:, async:, allow_retry:, connection: self}, &block)
      end
    end

    # As the clients of Sidekiq and of Elasticsearch.
    class EmptyClient
      Transport = Struct.new(:hosts)

      attr_reader :transport

      def initialize
        @transport = Transport.new([{host: "es1"}])
      end

      def push(item) = nil

      def push_bulk(items) = nil

      def perform_request(method, path, params = {}, body = nil, headers = nil, opts = {}) = nil
    end

    # As an adapter of Active Job.
    class QueueAdapter
      def enqueue(job) = nil

      def enqueue_at(job, timestamp) = nil
    end

    # @param recorder [Holdup::Recorder] whose unit is open
    def initialize(recorder)
      @recorder = recorder
    end

    # Each application has a subscriber of queries and of pushes.
    # @return [void]
    def subscribe
      [EVENT, PUSH].each { |event| ActiveSupport::Notifications.monotonic_subscribe(event) { |*_event| nil } }
    end

    # @param arm [String]
    # @return [#call] does it so often as it is asked to
    def find(arm)
      case arm
      when "bare" then ->(times) { times.times { nil } }
      when "probe" then probe(@recorder.call_edges)
      when "client" then pushes(EmptyClient)
      when "push" then pushes(joined(:SidekiqPushes, Class.new(EmptyClient)))
      when "client to search" then searches(EmptyClient)
      when "search" then searches(joined(:Elasticsearch, Class.new(EmptyClient)))
      when "enqueue" then jobs(Class.new(QueueAdapter))
      when "enqueued" then jobs(joined_adapter(Class.new(QueueAdapter)))
      when "holdup" then queries(joined(:ActiveRecord, QueriedConnection.dup))
      else queries(QueriedConnection)
      end
    end

    private

    def hook(name) = Holdup::Instrumentation::Calls.const_get(name).new(@recorder)

    def joined(name, type)
      hook(name).join(type)
      type
    end

    def joined_adapter(type)
      hook(:ActiveJobPushes).join_adapter(type.new)
      type
    end

    def probe(edges)
      kind = @recorder.call_kind("sql primary")
      lambda do |times|
        times.times do
          edges.begin_call
          edges.end_call(kind, false)
        end
      end
    end

    def queries(type)
      connection = type.new
      ->(times) { times.times { connection.query } }
    end

    def pushes(type)
      client = type.new
      item = {}
      ->(times) { times.times { client.push(item) } }
    end

    def searches(type)
      client = type.new
      params = {}
      ->(times) { times.times { client.perform_request("GET", "/", params, nil, nil, params) } }
    end

    # Active Job itself. The arms have one class of jobs: of two, one is slower in each of its methods.
    def jobs(type)
      job = job_class.new
      adapter = type.new
      lambda do |times|
        job.queue_adapter = adapter
        times.times { job.enqueue }
      end
    end

    def job_class
      @job_class ||= begin
        require "active_job"
        ActiveJob::Base.logger = nil
        Class.new(ActiveJob::Base) { attr_accessor :queue_adapter }
      end
    end
  end
end
