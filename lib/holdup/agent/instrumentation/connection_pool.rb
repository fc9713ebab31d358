# frozen_string_literal: true

require_relative "../recorder/open_unit"

module Holdup
  module Instrumentation
    # Waits for a database connection, and who keeps the connections from others: Active Record's pools, 7.1
    # to 8.1.
    #
    # No event tells of a wait. So one private method is prepended that Active Record reaches only when a
    # thread must wait: all other checkouts pay nothing for it, and connecting to the database is not taken
    # for a wait. Who keeps connections is told by checkout and checkin, in each pool from its first wait on.
    # (The connections' checkout callbacks would do, at five times the cost; see
    # docs/measurements/connection-pool.md.) A method that looks different from what we know is left alone.
    #
    # Only a unit's own thread is the unit: an asynchronous query waits in a thread of Active Record's, and
    # its request goes on. What threads outside of units keep is one gauge of the process.
    class ConnectionPool
      # On a connection while a thread has it, and on a pool that somebody has waited for. In tables of ours,
      # every checkout would cost more.
      MARK = :@holdup_holding
      CONTENDED = :@holdup_contended

      # One pool at a tick, as Servers::Pool tells groups of threads: `max` connections, `busy` of them in
      # use, `backlog` threads that wait for one.
      PoolState = Data.define(:name, :max, :busy, :backlog) do
        # @return [nil] a pool does not tell since when somebody waits
        def oldest_ns = nil
      end

      # @param guard [Guard]
      # @param clock [#monotonic_ns]
      def initialize(guard:, clock:)
        @guard = guard
        @clock = clock
      end

      # Joins Active Record as soon as it is loaded; again: nothing.
      # @return [void]
      def install
        return if @awaiting || !defined?(::ActiveSupport) || !::ActiveSupport.respond_to?(:on_load)
        @awaiting = true
        ::ActiveSupport.on_load(:active_record, yield: true) { |base| join(base) }
      end

      # @param base [Class] ActiveRecord::Base
      # @return [void]
      def join(base)
        @guard.call(:connection_pool) do
          Hooks.install(::ActiveRecord::ConnectionAdapters::ConnectionPool, self)
          @base = base
        end
      end

      # @return [Hash{String => Integer}] the size of each pool: of the first as db_pool, of others with their
      #   name
      def facts
        first, *others = all
        first ? {"db_pool" => first.size, **others.to_h { |pool| ["db_pool.#{name(pool)}", pool.size] }} : {}
      end

      # @return [Array<PoolState>] named "db primary" and so on
      def pools
        all.map do |pool|
          stat = pool.stat
          PoolState.new(name: "db #{name(pool)}", max: stat[:size], busy: stat[:busy],
            backlog: stat[:waiting])
        end
      end

      # @return [Hash{Symbol => Integer}] for how long threads outside of units have kept connections
      def gauges
        @base ? {connections_kept_ns: outside.so_far} : {}
      end

      # @return [Hash] nothing for the profile
      def profile = {}

      # Somebody waits: from now on it matters who keeps this pool's connections.
      # @param pool [Object]
      # @return [void]
      def contend(pool)
        @guard.call(:connection_pool) { pool.instance_variable_set(CONTENDED, true) }
      end

      # A thread must wait for a connection, in the block.
      # @return [Object] the block's value; its exception (the time is up) goes on untouched
      def waiting
        unit = here
        started_ns = @clock.monotonic_ns if unit
        yield
      ensure
        @guard.call(:connection_pool) { unit.charge(:pool_wait, @clock.monotonic_ns - started_ns) } if unit
      end

      # @param connection [Object] that this thread has from now on
      # @return [void]
      def taken(connection)
        @guard.call(:connection_pool) do
          next if connection.instance_variable_get(MARK)
          holding = here&.holding(@clock) || outside
          connection.instance_variable_set(MARK, holding.take)
        end
      end

      # @param connection [Object] that goes back to its pool
      # @return [void]
      def returned(connection)
        @guard.call(:connection_pool) do
          held = connection.instance_variable_get(MARK) or next
          connection.instance_variable_set(MARK, nil)
          held.give_back
        end
      end

      private

      def here
        unit = Recorder::OpenUnit.current
        unit if unit&.here?
      end

      # A child has none of the connections that its parent's threads keep.
      def outside
        return @outside if @pid == Process.pid
        @pid = Process.pid
        @outside = Recorder::ConnectionHold.new(@clock)
      end

      # Replicas and shards have pools of their own.
      def all
        @base ? @base.connection_handler.connection_pool_list(:all) : []
      end

      def name(pool) = pool.db_config.name
    end

    class ConnectionPool
      # What is prepended to Active Record's pool and to its queue of waiting threads, and the check that
      # these are as they have been since Rails 5: another one's patch or a later Rails may have changed them.
      #
      # Until somebody waits for the first time, a pool keeps nobody from anything: up to then its
      # connections' leases are not looked at.
      module Hooks
        CHECKOUT = [[:opt, :checkout_timeout]].freeze
        CHECKIN = REMOVE = [[:req, :conn]].freeze
        WAIT = [[:req, :timeout]].freeze

        # Prepended to ConnectionPool.
        class Leases < Module
          def initialize(watcher)
            super()
            define_method(:checkout) do |checkout_timeout = @checkout_timeout|
              connection = super(checkout_timeout)
              watcher.taken(connection) if @holdup_contended
              connection
            end
            define_method(:checkin) do |conn|
              watcher.returned(conn) if @holdup_contended
              super(conn)
            end
            define_method(:remove) do |conn|
              watcher.returned(conn) if @holdup_contended
              super(conn)
            end
          end
        end

        # Prepended to ConnectionPool::Queue, whose lock is its pool.
        class Waits < Module
          def initialize(watcher)
            super()
            define_method(:wait_poll) do |timeout|
              watcher.contend(@lock)
              watcher.waiting { super(timeout) }
            end
            private :wait_poll
          end
        end

        module_function

        # @param pool [Class] Active Record's ConnectionPool
        # @param watcher [ConnectionPool]
        # @return [void]
        def install(pool, watcher)
          if alike?(pool, checkout: CHECKOUT, checkin: CHECKIN, remove: REMOVE)
            pool.prepend(Leases.new(watcher))
          end
          pool::Queue.prepend(Waits.new(watcher)) if alike?(pool::Queue, wait_poll: WAIT)
        end

        # @return [Boolean] whether each method is there and takes what we know
        def alike?(owner, **methods)
          methods.all? do |name, parameters|
            (owner.method_defined?(name) || owner.private_method_defined?(name)) && owner.instance_method(name).parameters == parameters
          end
        end
      end
    end
  end
end
