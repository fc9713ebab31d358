# frozen_string_literal: true

module Holdup
  module Servers
    class Preforking
      # Prepended to HttpServer: tells the adapter how far each process is.
      class Hooks < Module
        def initialize(adapter)
          super()
          in_the_master(adapter)
          in_a_worker(adapter)
          private :init_worker_process, :prep_readers
        end

        private

        def in_the_master(adapter)
          define_method(:start) do |*arguments, **options|
            adapter.starting(self)
            super(*arguments, **options)
          end
          define_method(:join) do |*arguments, **options|
            adapter.booted
            super(*arguments, **options)
          end
        end

        def in_a_worker(adapter)
          define_method(:init_worker_process) { |worker, *arguments, **options| super(worker, *arguments, **options).tap { adapter.serving(self, worker) } }
          define_method(:prep_readers) { |readers, *arguments, **options| super(readers, *arguments, **options).tap { adapter.serving(self, readers.last) } }
        end
      end

      # Prepended to HttpServer: whether its one thread is at work. `rack.after_reply` has run when this returns.
      module Busy
        attr_reader :holdup_busy, :holdup_served

        # A worker may descend from another one.
        def holdup_begin
          @holdup_busy = @holdup_served = 0
        end

        private

        def process_client(...)
          @holdup_busy = 1
          super
        ensure
          @holdup_busy = 0
          @holdup_served += 1 if @holdup_served
        end
      end
    end
  end
end
