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
        @app = app
        @requests = requests
      end

      def call(env)
        unit = @requests.start(env)
        unit ? measured(unit, env) : @app.call(env)
      end

      private

      # Calls the application outside of every guard, so its exceptions pass unchanged.
      def measured(unit, env)
        earlier = $!
        response = @app.call(env)
        @requests.answered(unit, response)
      ensure
        unit.aborted(!$!.equal?(earlier))
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

      # By the Rack specification, a caller that takes the array does not close the body, so this does.
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

    # Queue time of a request: from the proxy's X-Request-Start or X-Queue-Start to now, less the time in
    # which Puma read the request's body.
    #
    # Proxies send seconds, ms, us or ns since 1970, with or without "t="; the number's size decides which. A
    # start in the future means that clocks differ: zero, and counted. More than an hour is ignored.
    class QueueTime
      FALLBACK = "HTTP_X_QUEUE_START"
      BODY_WAIT = "puma.request_body_wait" # milliseconds
      LONGEST_HEADER = 64
      # Matches the first number when several proxies have added theirs.
      FORMAT = /\A(?:t=)?\d{9,19}(?:\.\d{0,9})?\s*(?:,|\z)/
      ABSURD_NS = 3_600_000_000_000
      # its unit in ns: 1e8 s is the year 1973 => Least number, its unit in ns: 1e8 s is the year 1973, 1e8 s
      # in ms is 1e11 and so on.
      UNITS = [[1e17, 1], [1e14, 1_000], [1e11, 1_000_000], [1e8, 1_000_000_000]].freeze

      # @param on_clamp [#call] called for each start in the future
      def initialize(header:, clock:, on_clamp:)
        @key = "HTTP_#{header.upcase.tr("-", "_")}".freeze
        @clock = clock
        @on_clamp = on_clamp
      end

      def call(env)
        started = parse(env[@key] || env[FALLBACK])
        return unless started
        waited = @clock.realtime_ns - started
        return if waited > ABSURD_NS
        return clamp if waited < 0
        [waited - body_wait(env[BODY_WAIT]), 0].max
      end

      def parse(header)
        return unless valid?(header)
        digits = header.start_with?("t=") ? header.byteslice(2, LONGEST_HEADER) : header
        number = digits.to_f
        _, factor = UNITS.find { |least, _| number >= least }
        (number * factor).to_i if factor
      end

      private

      def valid?(header)
        return false unless header.is_a?(String) && header.bytesize <= LONGEST_HEADER
        header.ascii_only? && FORMAT.match?(header)
      end

      def clamp
        @on_clamp.call
        0
      end

      def body_wait(milliseconds)
        milliseconds.is_a?(Numeric) ? (milliseconds * 1_000_000).to_i : 0
      end
    end
  end
end
