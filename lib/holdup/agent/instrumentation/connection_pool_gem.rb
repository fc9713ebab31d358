# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "pool_leases"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # The same as ConnectionPool for pools of the gem connection_pool (2 and 3): of Redis, HTTP, Memcached.
    #
    # These pools have no method that they call only when a thread must wait. They call try_create only when
    # they have no connection to hand out, and it has no result where they may not connect either: the thread
    # is about to wait. So a checkout without a wait costs nothing more. The wait itself is one of the pool's
    # condition variable, which gets a module for it. At the first wait in a process the methods follow by
    # which connections are taken and given back. Subclasses that override try_create are left alone.
    class ConnectionPoolGem
      include Runtime::Resource

      include PoolLeases

      # Of a condition variable that extends the waits.
      STACK = :@holdup_stack
      # Classes of connections that a profile names.
      MOST_CLASSES = 3
      # Methods by which a connection is given back; "<<" is an alias.
      RETURNS = %i[push <<].freeze

      # A connection that somebody has: what PoolLeases knows of it. Any object may be a connection.
      Lease = Struct.new(:thread)

      # What is known of one pool since its first wait, beside the pool.
      class KnownPool
        # @return [Probe::ConnectionHolds]
        attr_reader :holds

        # @param holds [Probe::ConnectionHolds]
        # @param unseen [Array<Lease>] of connections that were taken before
        def initialize(holds, unseen)
          @holds = holds
          @unseen = unseen
          @leases = {}.compare_by_identity
        end

        def lend(connection) = @leases[connection] = Lease.new(Thread.current)

        # @return [Lease, nil]
        def take_back(connection) = @leases.delete(connection) || @unseen.pop

        # @return [Lease, nil] of the connection that this thread has taken last
        def take_back_last
          own = @leases.select { |_, lease| lease.thread == Thread.current }
          take_back(own.keys.last)
        end
      end
      private_constant :Lease, :KnownPool

      def initialize(guard:, clock:)
        @guard = guard
        @clock = clock
        @known = ObjectSpace::WeakKeyMap.new # by pool
        @lock = Mutex.new
        @classes = [].freeze # names of those of connections in these pools
      end

      # Does nothing when called again.
      def install
        install_in(::ConnectionPool::TimedStack) unless @type
      end

      def profile = @contended ? {WAITED_POOLS => @classes.join(" ")} : {}

      # @param type [Class] ConnectionPool::TimedStack
      def install_in(type)
        @type = type
        @waits = waits
        hook(:try_create) do |method|
          <<~RUBY
            holdup_connection = #{method.call}
            HoldupWatcher.created(self, holdup_connection)
            holdup_connection
          RUBY
        end.install(@guard)
      end

      # A pool has connected, or may not: then the thread is about to wait. The caller has the pool's lock.
      def created(pool, connection)
        connection ? fetched(pool, connection) : contend(pool)
      end

      # A thread has got a connection; or a pool that shuts down closes it.
      def fetched(pool, connection)
        known = @known[pool]
        return if known.nil? || connection.nil? || pool.instance_variable_get(:@shutdown_block)
        @guard.call(:connection_pool) do
          name(connection.class)
          taken(pool, known.lend(connection))
        end
      end

      # @param connection [Object] that is given back
      def pushed(pool, connection)
        known = @known[pool] or return
        @guard.call(:connection_pool) { back(pool, known.take_back(connection)) }
      end

      # A thread has given up its connection, which does not come back.
      def discarded(pool)
        known = @known[pool] or return
        @guard.call(:connection_pool) { back(pool, known.take_back_last) }
      end

      # @return [Boolean] whether the methods by which connections are taken and given back are hooked
      def hook_leases
        hooks = [fetching, *RETURNS.map { |name| giving_back(name) }, discarding]
        unknown = hooks.reject(&:possible?)
        unknown.each { |hook| @guard.not_hooked(hook.title, "Holdup does not know it") }
        unknown.empty? && hooks.all? { |hook| hook.install(@guard) }
      end

      private

      # A pool's first wait: the holders of its connections are recorded from now on.
      def contend(pool)
        return if @known[pool]
        @contended = true
        @guard.call(:connection_pool) do
          @lock.synchronize { @known[pool] ||= know(pool) if hook_leases }
          watch(pool, pool.instance_variable_get(:@resource))
        end
      end

      def name(type)
        return if type.name.nil? || @classes.size == MOST_CLASSES || @classes.include?(type.name)
        @classes = [*@classes, type.name].freeze
      end

      # @return [KnownPool]
      def know(pool)
        unseen = Array.new(pool.max - pool.length) { Lease.new }
        KnownPool.new(begin_holds(unseen), unseen)
      end

      def watch(pool, resource)
        return if @waits === resource || !resource.is_a?(::Thread::ConditionVariable)
        resource.instance_variable_set(STACK, pool)
        resource.extend(@waits)
      end

      def back(pool, lease)
        returned(pool, lease) if lease
      end

      # @return [Module] to extend a condition variable on which threads wait for a connection
      def waits
        Module.new.tap do |waits|
          hook = Hooks::MethodHook.new(waits, :wait, by: :pool, signatures: ["mutex, timeout = nil"],
            block: false, layer: true, constants: {HoldupWatcher: self}) do |method|
            "HoldupWatcher.waiting(#{STACK}) { #{method.call} }"
          end
          hook.install(@guard)
        end
      end

      def fetching
        hook(:fetch_connection) do |method|
          <<~RUBY
            holdup_connection = #{method.call}
            HoldupWatcher.fetched(self, holdup_connection)
            holdup_connection
          RUBY
        end
      end

      def giving_back(name)
        hook(name) { |method| "HoldupWatcher.pushed(self, #{method.positional(0)})\n#{method.call}" }
      end

      def discarding
        hook(:decrement_created) { |method| "HoldupWatcher.discarded(self)\n#{method.call}" }
      end

      # Versions 2 and 3 differ in the options that their methods take and pass on.
      def hook(name, &)
        Hooks::MethodHook.new(@type, name, by: :pool, block: false, constants: {HoldupWatcher: self}, &)
      end

      def holds_of(pool) = @known[pool]&.holds
    end
  end
end
