# frozen_string_literal: true

module Holdup
  module Instrumentation
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
