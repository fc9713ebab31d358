# frozen_string_literal: true

require_relative "../recorder"
require_relative "rack"
require_relative "server_timing"
require_relative "unit_name"

module Holdup
  module Instrumentation
    # Decides which requests become units, and starts them, for all copies of the middleware.
    #
    # `start` is in C (ext/holdup/unit/request_edges.c), which calls what few requests need: the private
    # methods.
    class RequestUnits < Probe::RequestStarts
      # @param ignored [Regexp] paths of requests that are not measured
      # @param ignored_starts [Array<String>, nil] how such paths begin; nil: unknown
      # @param server_timing [Boolean] whether responses get the header
      def initialize(recorder:, names:, queue:, ignored:, ignored_starts: nil, example_paths: false,
        server_timing: false)
        super(recorder:, names:, queue_header: queue.key, ignored_starts:, example_paths:)
        @guard = recorder.guard
        @names = names
        @queue = queue
        @ignored = ignored
        @server_timing = server_timing
      end

      # @param app [#call]
      # @return [#call] what the middleware calls in its place
      def around(app)
        @server_timing ? ServerTiming.new(app, @guard) : app
      end

      # @return [UnitName]
      attr_reader :names

      private

      # @return [Integer, nil] nil when the header can't be read
      def queued_ns(env)
        @guard.call(:queue) { @queue.call(env) }
      end

      # @return [String, nil] original path of a GET
      def path(env)
        return unless env["REQUEST_METHOD"] == "GET"
        env["SCRIPT_NAME"].to_s.b << env["PATH_INFO"].to_s.b
      end

      def known?(unit, env)
        return false unless unit.is_a?(RequestUnit)
        unit.cancel if unit.stale?
        unit.for?(env)
      end

      # A server may give a path as bytes; ignored paths are text.
      def ignored?(path)
        return @ignored.match?(path) if path.ascii_only?
        text = path.dup.force_encoding(Encoding::UTF_8)
        text.valid_encoding? && @ignored.match?(text)
      end
    end

    # The unit of one Rack request, from the first line to the closed body. It adds itself to the server's
    # callbacks for a finished response (`rack.response_finished`, or `rack.after_reply` of Puma, Unicorn,
    # Pitchfork): that end is exact and allocates nothing. Without such a list it wraps the body.
    class RequestUnit < Recorder::OpenUnit
      include Probe::RequestEnds

      # The client has gone: only Pitchfork reports these as errors.
      GONE = [Errno::EPIPE, Errno::ECONNRESET, Errno::ENOTCONN].freeze
      # Status, headers and body.
      RESPONSE_PARTS = 3
      BODY = 2
      private_constant :RESPONSE_PARTS, :BODY

      def for?(other) = env.equal?(other)

      # A request whose response never finished (a server that forgets closed sockets): its fiber has another
      # request.
      def stale?
        status && fiber.equal?(Fiber.current)
      end

      # The application ended without an answer.
      # @param error [Boolean] by an exception, not by throw or a killed thread
      def aborted(error)
        return if status
        self.failure = error
        finished
      end

      def failed
        self.failure = true
      end

      # What it asks for, where its route does not say it. The first call counts.
      # @param name [String]
      def asked_for(name)
        asked = env # nil when the request has ended
        names.keep(asked) { name } if asked
      end

      # Pitchfork checks the arity of its callbacks. `call` is one, and in C like `finished`.
      def arity = -1

      def cancel
        super
        self.env = self.fiber = nil
      end

      def name_so_far
        asked = env # another thread may set it to nil
        name || (asked && names.so_far(asked))
      end

      private

      # @param sent [Object, nil] the status; nil: unknown
      # @param error [Exception, nil] which the server met
      def sent_otherwise(sent, error)
        self.status = sent.to_i unless sent.nil? || sent == status
        failed if error && !GONE.include?(error.class)
      rescue *Guard::FAILURES => failure
        recorder.guard.failed(:rack, failure)
      end

      # Must not raise. A response may be of a subclass of Array that does not do what an Array does. One
      # without a body goes on as it is, so that its fault is the application's.
      def wrapped(response)
        if response.size < RESPONSE_PARTS
          finished
          return response
        end
        response.dup.tap { |copy| copy[BODY] = RackBody.new(response[BODY], self) }
      rescue *Guard::FAILURES => error
        finished
        recorder.guard.failed(:rack, error)
        response
      end

      # Must not raise.
      # @param answer [Object] anything but an Integer that a machine word holds
      def status_of(answer)
        answer.to_s.to_i
      rescue *Guard::FAILURES => error
        recorder.guard.failed(:rack, error)
        0
      end

      def trace_parent = TraceParent.call(env)
    end

    # The trace of a request, from the W3C header.
    module TraceParent
      HEADER = "HTTP_TRACEPARENT"
      # Version, trace, span, flags: 00-<32 digits>-<16 digits>-01. Later versions may add fields.
      LEAST_BYTES = 55
      TRACE = (3..34)

      # @return [String, nil] normally 32 hexadecimal digits, which the probe checks
      def self.call(env)
        text = env[HEADER]
        text.byteslice(TRACE) if text.is_a?(String) && text.bytesize >= LEAST_BYTES
      end
    end
  end
end
