# frozen_string_literal: true

module Holdup
  module Servers
    class Puma
      # Prepended to Puma::Launcher: by `run` the configuration is known and nothing is loaded yet.
      class LauncherHook < Module
        # @param adapter [Puma]
        def initialize(adapter)
          super()
          define_method(:run) do |*arguments, **options|
            adapter.attach(self)
            super(*arguments, **options)
          end
          define_method(:restart) do |*arguments, **options|
            adapter.restarting
            super(*arguments, **options)
          end
        end
      end

      # Prepended to Puma::RackHandler, whose `config` loads the launcher.
      class HandlerHook < Module
        # @param adapter [Puma]
        def initialize(adapter)
          super()
          define_method(:config) do |*arguments, **options|
            super(*arguments, **options).tap { adapter.launched }
          end
        end
      end

      # Prepended to Puma::Cluster::Worker, which knows its index.
      class WorkerHook < Module
        # @param adapter [Puma]
        def initialize(adapter)
          super()
          define_method(:run) do |*arguments, **options|
            adapter.working(index)
            super(*arguments, **options)
          end
        end
      end

      # Prepended to Puma::Server. Puma 8 can change the number of its threads while it runs.
      class ServerHook < Module
        # @param adapter [Puma]
        def initialize(adapter)
          super()
          define_method(:run) do |*arguments, **options|
            adapter.serving(self)
            super(*arguments, **options)
          end
          define_method(:begin_restart) do |*arguments|
            adapter.reforking
            super(*arguments)
          end
          %i[stop halt].each do |ending|
            define_method(ending) do |*arguments|
              adapter.stopping
              super(*arguments)
            end
          end
          follow_threads(adapter) if ::Puma::Server.method_defined?(:update_thread_pool_min_max)
        end

        private

        def follow_threads(adapter)
          define_method(:update_thread_pool_min_max) do |**limits|
            super(**limits).tap { adapter.serving(self) }
          end
        end
      end
    end
  end
end
