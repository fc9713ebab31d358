# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../recorder"
require_relative "pool_leases"

module Holdup
  module Instrumentation
    # Waits for a database connection, and the units that hold connections meanwhile, whom the waits are for:
    # Active Record 7.1 to 8.1.
    #
    # Active Record has no event for a wait, so the private method is hooked that it calls only when a thread
    # must wait: connecting to the database does not count as a wait. Checkout and checkin show the holders: a
    # pool gets a module for these at its first wait, and costs nothing more before. (Checkout callbacks of
    # connections cost five times as much; see docs/measurements/connection-pool.md.) A method with an unknown
    # signature is left alone.
    #
    # Only a unit's own thread counts: an asynchronous query waits in a thread of Active Record, and its
    # request goes on. Connections held outside of units are one gauge of the process.
    class ConnectionPool
      include PoolLeases

      # Of a pool that extends the leases.
      HOLDS = :@holdup_holds
      # Methods of a pool since Rails 5 => their parameters, and what takes note.
      LEASES = {
        checkout: ["checkout_timeout = @checkout_timeout", "HoldupWatcher.taken(self, holdup_result)"],
        checkin: ["conn", "HoldupWatcher.returned(self, conn)"],
        remove: ["conn", "HoldupWatcher.returned(self, conn)"]
      }.freeze

      # Has the methods of Servers::Pool: `max` connections, `busy` of them in use, `backlog` waiting threads.
      PoolState = Data.define(:name, :max, :busy, :backlog) do
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

      def join(base)
        @guard.call(:connection_pool) do
          install_in(::ActiveRecord::ConnectionAdapters::ConnectionPool)
          @base = base
        end
      end

      # Size of each pool: db_pool for the first, the others with their name.
      def facts
        first, *others = all
        return {} unless first
        {"db_pool" => first.size, **others.to_h { |pool| ["db_pool.#{name(pool)}", pool.size] }}
      end

      # The pools are named "db primary" and so on.
      def pools
        all.map do |pool|
          stat = pool.stat
          name = "db #{name(pool)}"
          PoolState.new(name:, max: stat[:size], busy: stat[:busy], backlog: stat[:waiting])
        end
      end

      # ns for which threads outside of units have held connections.
      def gauges
        @base ? {connections_kept_ns: outside_units.so_far} : {}
      end

      def profile = @contended ? {WAITED_DATABASE => "yes"} : {}

      # @param pool [Class]
      def install_in(pool)
        unknown = LEASES.keys.reject { |name| known?(pool, name) }
        unknown.each do |name|
          @guard.not_hooked("#{pool.name}##{name}", "it takes other parameters than Holdup knows")
        end
        @leases = leases if unknown.empty?
        constants = {HoldupWatcher: self}
        Hooks::MethodHook.new(pool::Queue, :wait_poll, by: :pool, signatures: ["timeout"], block: false,
          constants:) do |method|
          <<~RUBY
            HoldupWatcher.contend(@lock)
            holdup_connection = HoldupWatcher.waiting(@lock) { #{method.call} }
            HoldupWatcher.waited(@lock, holdup_connection)
            holdup_connection
          RUBY
        end.install(@guard)
      end

      # A pool's first wait: the holders of its connections are recorded from now on. The caller has its lock.
      def contend(pool)
        @contended = true
        @guard.call(:connection_pool) do
          next if @leases.nil? || @leases === pool
          pool.instance_variable_set(HOLDS, begin_holds(pool.connections.select(&:in_use?)))
          pool.extend(@leases)
        end
      end

      # A thread has got its connection after a wait. If that was the pool's first one, its checkout has begun
      # before the pool could record it.
      def waited(pool, connection)
        @guard.call(:connection_pool) { taken(pool, connection) if @leases === pool }
      end

      private

      # @return [Module] to extend a pool in which threads have waited
      def leases
        LEASES.each_with_object(Module.new) do |(name, (parameters, note)), leases|
          hook = Hooks::MethodHook.new(leases, name, by: :pool, signatures: [parameters], layer: true,
            constants: {HoldupWatcher: self}) do |method|
            result = "holdup_result = #{method.call}"
            [*((name == :checkout) ? [result, note] : [note, result]), "holdup_result"].join("\n")
          end
          hook.install(@guard)
        end
      end

      def known?(pool, name)
        return false unless pool.method_defined?(name)
        expected = Hooks::Signature.parameters(LEASES.fetch(name).first)
        Hooks::Signature.fits?(pool.instance_method(name).parameters, expected)
      end

      def holds_of(pool) = pool.instance_variable_get(HOLDS)

      # Replicas and shards have their own pools.
      def all
        @base ? @base.connection_handler.connection_pool_list(:all) : []
      end

      def name(pool) = pool.db_config.name
    end
  end
end
