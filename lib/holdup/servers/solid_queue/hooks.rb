# frozen_string_literal: true

module Holdup
  module Servers
    class SolidQueue
      # Prepended to SolidQueue::Supervisor.
      class SupervisorHooks < Module
        def initialize(adapter)
          super()
          define_method(:start) do
            adapter.supervising(configuration)
            super()
          end
          define_method(:start_process) do |configured|
            adapter.starting(configured)
            super(configured)
          end
          private :start_process
        end
      end

      # Prepended to SolidQueue::Worker.
      class WorkerHooks < Module
        def initialize(adapter)
          super()
          define_method(:boot) { super().tap { adapter.serving(self) } }
          define_method(:shutdown) { super().tap { adapter.finished(self) } }
          private :boot, :shutdown
        end
      end
    end
  end
end
