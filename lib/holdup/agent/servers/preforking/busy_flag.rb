# frozen_string_literal: true

module Holdup
  module Servers
    class Preforking
      # Prepended to HttpServer: whether its one thread is at work. `rack.after_reply` has run when this
      # returns.
      module BusyFlag
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
