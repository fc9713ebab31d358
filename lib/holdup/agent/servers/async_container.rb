# frozen_string_literal: true

require_relative "method_hook"

module Holdup
  module Servers
    # The process above Falcon's workers (`falcon host`, `falcon serve`): a controller that binds the sockets,
    # forks workers into a container and starts them again. It measures nothing and looks after the collector.
    # The container gives its children no number, so they get one here: the place that one has, and keeps when
    # it is started again.
    class AsyncContainer
      PROGRAMS = %w[falcon falcon-host].freeze
      # In the storage of a worker's first fiber, which all others of it inherit.
      PLACE = :holdup_place
      # service [String, nil] its name; index [Integer] of the place among those of the service
      WorkerSlot = Data.define(:service, :index)

      # Prepended to Async::Container::Generic. Each call is one place; its block runs in every child that
      # takes it. A container of threads is no place of processes, and one inside of a forked child (--hybrid)
      # keeps that one's.
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

      # @return [Boolean] whether this process is run by Falcon: its services may not exist yet
      def self.here?
        PROGRAMS.include?(File.basename($PROGRAM_NAME)) || controllers.any?
      end

      # @return [Array<Async::Service::Controller>] with a Falcon
      def self.controllers
        return [] unless defined?(::Async::Service::Controller) && defined?(::Falcon::Service::Server)
        ObjectSpace.each_object(::Async::Service::Controller).select { |controller|
          controller.services.grep(::Falcon::Service::Server).any?
        }
      end

      # @param runtime [Runtime]
      def initialize(runtime:, **)
        @runtime = runtime
      end

      # `start` of the controller returns when the first workers are ready.
      # @return [void]
      def install
        ::Async::Container::Controller.prepend(MethodHook.new(before: {start: ->(*) { starting }},
          after: {start: ->(*) { booted }}))
        ::Async::Container::Generic.prepend(WorkerSlots)
      end

      # Before the first worker is forked. Controllers of services without a Falcon are none of ours.
      # @return [void]
      def starting
        @runtime.guard.call(:falcon) { @runtime.wait_for_server if self.class.here? }
      end

      # When the first workers are ready.
      # @return [void]
      def booted
        @runtime.guard.call(:falcon) { @runtime.start_collector if self.class.here? }
      end
    end
  end
end
