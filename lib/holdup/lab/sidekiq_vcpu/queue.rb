# frozen_string_literal: true

require "securerandom"
require_relative "../../errors"

module Holdup
  module Lab
    class SidekiqVcpu
      # A queue of the experiment's own in Redis, with the lists by which its processes tell how far they are. Nothing of it
      # is left afterwards.
      class Queue
        # Redis takes whole seconds; Sidekiq's connections wait a little longer.
        WAIT_S = 1
        # ready: a process can take jobs. begun: a job runs, and waits for go, so that jobs that run at the same time start
        # at the same time: once one of them computes, the way to the start of another is long. done: it has ended.
        LISTS = %w[ready begun go done].freeze
        PATIENCE_S = 3

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
        # @param rounds [Integer]
        # @return [void]
        def push(job, rounds)
          @client.push("class" => job, "args" => [rounds, name], "queue" => name, "retry" => false)
        end

        # @param count [Integer] of jobs that may start
        # @return [void]
        def go(count)
          @pool.with { |redis| redis.call("LPUSH", "#{name}:go", *[name] * count) }
        end

        # @param list [String] of LISTS
        # @return [Boolean] whether there was an entry within a second
        def taken?(list) = !!@pool.with { |redis| redis.blocking_call(PATIENCE_S, "BRPOP", "#{name}:#{list}", WAIT_S) }

        # @return [void]
        def remove
          @pool.with do |redis|
            redis.call("DEL", "queue:#{name}", *LISTS.map { |list| "#{name}:#{list}" })
            redis.call("SREM", "queues", name)
          end
        end

        # @return [void]
        def close = @pool.shutdown(&:close)
      end
    end
  end
end
