# frozen_string_literal: true

require_relative "../recorder/open_unit"

module Holdup
  module Instrumentation
    # Waits for a database connection, and the units that hold connections meanwhile: Active Record's pools,
    # 7.1 to 8.1.
    #
    # Active Record has no event for a wait. So a module is prepended to the private method that it calls only
    # when a thread must wait: other checkouts cost nothing more, and connecting to the database does not
    # count as a wait. Holders are found by checkout and checkin, in each pool from its first wait on. (The
    # connections' checkout callbacks cost five times as much; see docs/measurements/connection-pool.md.) A
    # method with an unknown signature is left alone.
    #
    # Only a unit's own thread is the unit: an asynchronous query waits in a thread of Active Record's, and
    # its request goes on. Connections held by threads outside of units are one gauge of the process.
    class ConnectionPool
      # Set on a connection while a thread has it, and on a pool after its first wait. Tables of ours would
      # make each checkout slower.
      MARK = :@holdup_holding
      CONTENDED = :@holdup_contended

      # One pool at a tick, with the methods of Servers::Pool: `max` connections, `busy` of them in use,
      # `backlog` threads that wait for one.
      PoolState = Data.define(:name, :max, :busy, :backlog) do
        # @return [nil] unknown
        def oldest_ns = nil
      end

      def initialize(guard:, clock:)
        @guard = guard
        @clock = clock
      end

      # Hooks into Active Record once it is loaded; does nothing when called again.
      def install
        return if @awaiting || !defined?(::ActiveSupport) || !::ActiveSupport.respond_to?(:on_load)
        @awaiting = true
        ::ActiveSupport.on_load(:active_record, yield: true) { |base| join(base) }
      end

      # @param base [Class] ActiveRecord::Base
      def join(base)
        @guard.call(:connection_pool) do
          Hooks.install(::ActiveRecord::ConnectionAdapters::ConnectionPool, self)
          @base = base
        end
      end

      # @return [Hash{String => Integer}] size of each pool: db_pool for the first, the others with their name
      def facts
        first, *others = all
        return {} unless first
        {"db_pool" => first.size, **others.to_h { |pool| ["db_pool.#{name(pool)}", pool.size] }}
      end

      # @return [Array<PoolState>] named "db primary" and so on
      def pools
        all.map do |pool|
          stat = pool.stat
          name = "db #{name(pool)}"
          PoolState.new(name:, max: stat[:size], busy: stat[:busy], backlog: stat[:waiting])
        end
      end

      # @return [Hash{Symbol => Integer}] ns for which threads outside of units have held connections
      def gauges
        @base ? {connections_kept_ns: outside_units.so_far} : {}
      end

      # @return [Hash] nothing for the profile
      def profile = {}

      # A thread waits: from now on the holders of this pool's connections are recorded.
      def contend(pool)
        @guard.call(:connection_pool) { pool.instance_variable_set(CONTENDED, true) }
      end

      # Measures the block, in which a thread waits for a connection.
      # @return [Object] the block's value; its exception (a timeout) passes unchanged
      def waiting
        unit = unit_of_this_thread
        started_ns = @clock.monotonic_ns if unit
        yield
      ensure
        @guard.call(:connection_pool) { unit.charge(:pool_wait, @clock.monotonic_ns - started_ns) } if unit
      end

      # @param connection [Object] that this thread has checked out
      def taken(connection)
        @guard.call(:connection_pool) do
          next if connection.instance_variable_get(MARK)
          holding = unit_of_this_thread&.holding(@clock) || outside_units
          connection.instance_variable_set(MARK, holding.take)
        end
      end

      # @param connection [Object] that goes back to its pool
      def returned(connection)
        @guard.call(:connection_pool) do
          holding = connection.instance_variable_get(MARK)
          next unless holding
          connection.instance_variable_set(MARK, nil)
          holding.give_back
        end
      end

      private

      def unit_of_this_thread
        unit = Recorder::OpenUnit.current
        unit if unit&.here?
      end

      # A forked child has none of the connections of its parent's threads.
      def outside_units
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
      # The modules that are prepended to Active Record's pool and to its queue of waiting threads, after a
      # check that their methods are as they have been since Rails 5: a patch or a later Rails may have
      # changed them.
      #
      # Until the first wait for a pool its connections' holders don't matter, so they are not recorded.
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
        def install(pool, watcher)
          if known_signatures?(pool, checkout: CHECKOUT, checkin: CHECKIN, remove: REMOVE)
            pool.prepend(Leases.new(watcher))
          end
          pool::Queue.prepend(Waits.new(watcher)) if known_signatures?(pool::Queue, wait_poll: WAIT)
        end

        def known_signatures?(owner, **methods)
          methods.all? do |name, parameters|
            defined = owner.method_defined?(name) || owner.private_method_defined?(name)
            defined && owner.instance_method(name).parameters == parameters
          end
        end
      end
    end
  end
end
