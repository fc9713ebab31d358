# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # The queue with the lists by which the experiment's processes tell how far they are.
      class Queue < JobQueue
        # Redis takes whole seconds; Sidekiq's connections wait a little longer.
        WAIT_S = 1
        # ready: a process can take jobs. begun: a job runs, and waits for go, so that jobs that run at the
        # same time start at the same time: once one of them computes, the way to the start of another is
        # long. done: it has ended.
        LISTS = %w[ready begun go done].freeze
        PATIENCE_S = 3

        # @param job [String] class
        # @param rounds [Integer]
        # @return [void]
        def push(job, rounds) = super(job, rounds, name)

        # @param count [Integer] of jobs that may start
        # @return [void]
        def go(count)
          @pool.with { |redis| redis.call("LPUSH", "#{name}:go", *[name] * count) }
        end

        # @param list [String] of LISTS
        # @return [Boolean] whether there was an entry within a second
        def taken?(list)
          !!@pool.with { |redis| redis.blocking_call(PATIENCE_S, "BRPOP", "#{name}:#{list}", WAIT_S) }
        end

        private

        def keys
          [*super, *LISTS.map { |list| "#{name}:#{list}" }]
        end
      end
    end
  end
end
