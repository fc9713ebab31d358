# frozen_string_literal: true

module Holdup
  module Servers
    class Puma
      # The threads of a running Puma 8, as a live lever.
      #
      # Puma changes both limits at once (lib/puma/server.rb, update_thread_pool_min_max), but a lower one
      # only keeps it from starting threads. Those that are too many end when they are asked to and find no
      # request waiting (lib/puma/thread_pool.rb, trim), and Puma asks by itself only where both limits
      # differed at boot. So this asks. A pool whose requests always wait never comes to its target.
      class LiveThreads
        attr_reader :server

        # @param pool [#call] gives the server's Puma::ThreadPool; nil before it runs
        def initialize(server, pool:)
          @server = server
          @pool = pool
          @configured = [server.min_threads, server.max_threads]
          @wanted = server.max_threads
        end

        def name = "threads"

        # The highest number of threads that the configuration asks for.
        def configured = @configured.last

        # @param value [Integer] at least 1
        def set(value)
          @wanted = value
          apply
          settled?
        end

        # Back to what is configured.
        def restore = set(configured)

        # Whether the pool has no more threads than wanted, and none that will end still: those could leave
        # it with too few later. (It starts threads when requests need them.)
        def settled?
          pool = @pool.call or return false
          apply unless pool.max == @wanted
          [pool.spawned - pool.trim_requested - @wanted, 0].max.times { pool.trim(true) }
          pool.spawned <= @wanted && pool.trim_requested.zero?
        end

        private

        def apply
          @server.update_thread_pool_min_max(min: [@configured.first, @wanted].min, max: @wanted)
        end
      end
    end
  end
end
