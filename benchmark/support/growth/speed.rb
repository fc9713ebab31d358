# frozen_string_literal: true

module Bench
  module Growth
    # How fast the machine was while jobs ran: how far some of them got in their CPU time. Collections are work and no time, so they took as
    # much longer or shorter.
    module Speed
      KEY = "holdup-bench-speed"
      # Of so many jobs one tells: it costs a question to Redis.
      SAMPLED = 50

      module_function

      # In a job.
      # @param rounds [Integer] see Exact.compute
      # @return [void]
      def tell(rounds)
        Sidekiq.redis { |redis| redis.call("RPUSH", KEY, rounds) } if rand(SAMPLED).zero?
      end

      # @param redis [RedisClient]
      # @return [Float] rounds of a job since it was last asked, on average
      def taken(redis)
        told = redis.call("LPOP", KEY, 1_000_000).to_a.map(&:to_i)
        told.sum.fdiv([told.size, 1].max)
      end
    end
  end
end
