# frozen_string_literal: true

module Holdup
  module Servers
    class SolidQueue
      # Prepended to SolidQueue::Supervisor.
      class SupervisorHooks < Module
        def initialize(adapter)
          super()
          define_method(:start) do |*arguments, **options|
            adapter.supervising { configuration }
            super(*arguments, **options)
          end
          define_method(:start_process) do |configured, *arguments, **options|
            adapter.starting(configured)
            super(configured, *arguments, **options)
          end
          private :start_process
        end
      end

      # Prepended to SolidQueue::Worker.
      class WorkerHooks < Module
        def initialize(adapter)
          super()
          define_method(:boot) { |*arguments, **options| super(*arguments, **options).tap { adapter.serving(self) } }
          define_method(:shutdown) { |*arguments, **options| super(*arguments, **options).tap { adapter.finished(self) } }
          private :boot, :shutdown
        end
      end
    end
  end
end
