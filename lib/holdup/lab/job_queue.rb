# frozen_string_literal: true

require "securerandom"

module Holdup
  module Lab
    # A queue of an experiment's own in a Redis that may be somebody's. Nothing of it is left afterwards.
    class JobQueue
      # @return [String]
      attr_reader :name

      # @param url [String] of Redis
      # @param library [Module] Sidekiq
      def initialize(url, library: ::Sidekiq)
        @name = "holdup-lab-#{SecureRandom.hex(4)}"
        @pool = library::RedisConnection.create(url:, size: 1)
        @client = library::Client.new(pool: @pool)
      end

      # @return [void]
      # @raise [Holdup::Error] nobody answers there
      def check
        @pool.with { |redis| redis.call("PING") }
      rescue => error
        raise Error.new("Redis does not answer (#{error.message})", "check --redis-url and that it runs")
      end

      # @param job [String] class
      # @param arguments [Array]
      # @return [void]
      def push(job, *arguments)
        @client.push("class" => job, "args" => arguments, "queue" => name, "retry" => false)
      end

      # @return [Integer] jobs that wait
      def size
        @pool.with { |redis| redis.call("LLEN", "queue:#{name}") }
      end

      # @return [void]
      def remove
        @pool.with do |redis|
          redis.call("DEL", *keys)
          redis.call("SREM", "queues", name)
        end
      rescue *[defined?(::RedisClient::Error) && ::RedisClient::Error].compact # Redis has gone, and the queue with it
        nil
      end

      # @return [void]
      def close = @pool.shutdown(&:close)

      private

      def keys
        ["queue:#{name}"]
      end
    end
  end
end
