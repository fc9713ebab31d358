# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "pool_leases"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # The same as ConnectionPool for Sequel's pools: waits for a connection, and who holds connections.
    #
    # A private method is hooked that a pool calls only when a thread must wait. At the first wait in a
    # process the methods follow by which connections are taken and given back: those of the class, because a
    # pool may be frozen. What is known of a pool is beside it for the same reason. Pools of one thread have
    # no waits, and those with shards are left alone: each server has connections of its own.
    class SequelPool
      include Runtime::Resource

      include PoolLeases

      # Class => the method that waits, and its parameters.
      POOLS = {
        TimedQueueConnectionPool: [:wait_until_available, ""],
        ThreadedConnectionPool: [:acquire_available, "thread, timeout"]
      }.freeze
      # Methods by which a connection is given back, or given up, and their parameter.
      RETURNS = {checkin_connection: "conn", disconnect_connection: "conn"}.freeze

      def initialize(guard:, clock:)
        @guard = guard
        @clock = clock
        @holds = ObjectSpace::WeakKeyMap.new # by pool
        @hooked = []
        @lock = Mutex.new
      end

      # Hooks into each class of pools once it is loaded.
      def install
        (POOLS.keys - @hooked).each do |name|
          next unless ::Sequel.const_defined?(name, false)
          @hooked << name
          install_in(::Sequel.const_get(name, false), *POOLS.fetch(name))
        end
      end

      def profile = @contended ? {WAITED_DATABASE => "yes"} : {}

      # @param pool [Class]
      # @param waits [Symbol]
      # @param parameters [String]
      def install_in(pool, waits, parameters)
        hook(pool, waits, parameters) do |method|
          <<~RUBY
            HoldupWatcher.contend(self)
            holdup_connection = HoldupWatcher.waiting(self) { #{method.call} }
            HoldupWatcher.waited(self, holdup_connection)
            holdup_connection
          RUBY
        end.install(@guard)
      end

      # A pool's first wait: the holders of its connections are recorded from now on.
      def contend(pool)
        return if @holds[pool]
        @contended = true
        @guard.call(:connection_pool) do
          @lock.synchronize { @holds[pool] ||= begin_holds(in_use(pool)) if hook_leases(pool.class) }
        end
      end

      # A thread has got its connection after a wait; without one its time is up. If that was the first wait
      # of all, the method that would take note has begun before it was hooked.
      def waited(pool, connection)
        taken(pool, connection) if connection && @holds[pool]
      end

      # @param pool [Class]
      # @return [Boolean] whether its methods are hooked
      def hook_leases(pool)
        hooks = [acquire(pool), *RETURNS.map { |name, parameter| giving_back(pool, name, parameter) }]
        unknown = hooks.reject(&:possible?)
        unknown.each do |hook|
          @guard.not_hooked(hook.title, "it takes other parameters than Holdup knows")
        end
        unknown.empty? && hooks.all? { |hook| hook.install(@guard) }
      end

      private

      def acquire(pool)
        hook(pool, :acquire, "thread") do |method|
          <<~RUBY
            holdup_connection = #{method.call}
            HoldupWatcher.taken(self, holdup_connection)
            holdup_connection
          RUBY
        end
      end

      def giving_back(pool, name, parameter)
        hook(pool, name, parameter) do |method|
          <<~RUBY
            HoldupWatcher.returned(self, #{method.positional(0)})
            #{method.call}
          RUBY
        end
      end

      def hook(pool, name, parameters, &)
        Hooks::MethodHook.new(pool, name, by: :pool, signatures: [parameters], block: false,
          constants: {HoldupWatcher: self}, &)
      end

      def holds_of(pool) = @holds[pool]

      # A thread that is about to connect has `true`.
      def in_use(pool) = pool.instance_variable_get(:@allocated).values - [true]
    end
  end
end
