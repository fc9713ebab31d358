# frozen_string_literal: true

require_relative "method_hook"

module Holdup
  module Servers
    # The parent of Falcon's workers (`falcon host`, `falcon serve`): a controller that binds the sockets,
    # forks workers into a container and restarts them. It measures nothing and supervises the collector. The
    # container does not number its children, so we number them here; a restarted child keeps its number.
    class AsyncContainer
      PROGRAMS = %w[falcon falcon-host].freeze
      # Key in the storage of a worker's first fiber, which its other fibers inherit.
      PLACE = :holdup_place
      # `service`: its name or nil; `index`: of the worker in that service
      WorkerSlot = Data.define(:service, :index)

      # Prepended to Async::Container::Generic. Each call of `spawn` is one slot; its block runs in every
      # child that fills it. Containers of threads have no slots, not even in a forked child (--hybrid).
      module WorkerSlots
        def spawn(name: nil, **options, &block)
          return super unless self.class.respond_to?(:multiprocess?) && self.class.multiprocess?
          @holdup_places ||= Hash.new(-1)
          place = WorkerSlot.new(service: name, index: @holdup_places[name] += 1)
          super do |*arguments, **options|
            Fiber[PLACE] = place
            block.call(*arguments, **options)
          end
        end
      end

      # Whether Falcon runs this process; its services may not exist yet.
      def self.here?
        PROGRAMS.include?(File.basename($PROGRAM_NAME)) || controllers.any?
      end

      def self.controllers
        return [] unless defined?(::Async::Service::Controller) && defined?(::Falcon::Service::Server)
        ObjectSpace.each_object(::Async::Service::Controller).select do |controller|
          controller.services.grep(::Falcon::Service::Server).any?
        end
      end

      def initialize(runtime:, **)
        @runtime = runtime
      end

      # The controller's `start` returns when the first workers are ready.
      def install
        hook = MethodHook.new(before: {start: ->(*) { starting }}, after: {start: ->(*) { booted }})
        ::Async::Container::Controller.prepend(hook)
        ::Async::Container::Generic.prepend(WorkerSlots)
      end

      # Runs before the first fork of a worker. Ignores controllers without a Falcon.
      def starting
        @runtime.guard.call(:falcon) { @runtime.wait_for_server if self.class.here? }
      end

      def booted
        @runtime.guard.call(:falcon) { @runtime.start_collector if self.class.here? }
      end
    end
  end
end
