# frozen_string_literal: true

module Holdup
  module Instrumentation
    # Measures each request as a unit. Must be outermost; a second one in the same request does nothing.
    #
    #   use Holdup::Instrumentation::Rack, Holdup.requests      # config.ru
    #
    # Rails and Puma's plugin do it themselves.
    class Rack
      def initialize(app, requests)
        @app = requests.around(app)
        @requests = requests
      end

      def call(env)
        unit = @requests.start(env)
        return @app.call(env) unless unit
        earlier = $!
        # The application is called outside of every guard, so its exceptions pass unchanged.
        begin
          response = unit.answered(@app.call(env))
          answered = true
          response
        ensure
          unit.aborted(!$!.equal?(earlier)) unless answered
        end
      end
    end

    # A response body whose closing ends the unit, for servers without a callback at a response's end.
    # Responds to exactly what the wrapped body responds to, because servers choose by that how to send it.
    class RackBody
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

      # A streaming body writes to the socket meanwhile and is not always closed.
      def call(stream)
        watch { @body.call(stream) }
      ensure
        @unit.finished
      end

      # A caller that takes the array does not close the body, by the Rack specification, so this does.
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
