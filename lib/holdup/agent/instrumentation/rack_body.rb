# frozen_string_literal: true

module Holdup
  module Instrumentation
    # A response's body whose closing ends the request's unit, for servers that do not tell when a response is
    # finished. Answers to exactly what the wrapped body answers to, because servers choose by that how they
    # send it.
    class RackBody
      # @param body [Object] a Rack body: each or call, perhaps to_ary, to_path, close
      # @param unit [RequestUnit]
      def initialize(body, unit)
        @body = body
        @unit = unit
      end

      OPTIONAL = %i[each call to_ary to_path].freeze

      def respond_to?(name, include_all = false)
        OPTIONAL.include?(name) ? @body.respond_to?(name) : super
      end

      def each(&)
        watch { @body.each(&) }
      end

      # A streaming body: it has the socket for as long as this lasts, and is not always closed.
      def call(stream)
        watch { @body.call(stream) }
      ensure
        @unit.finished
      end

      # Whoever takes the array closes nothing any more, says the Rack specification: so this does.
      def to_ary
        @body.to_ary
      ensure
        close
      end

      def to_path = @body.to_path

      def close
        @body.close if @body.respond_to?(:close)
      ensure
        @unit.finished
      end

      private

      def watch
        earlier = $!
        yield
      ensure
        @unit.failed unless $!.equal?(earlier)
      end
    end
  end
end
