# frozen_string_literal: true

require_relative "../recorder"
require_relative "rack"

module Holdup
  module Instrumentation
    # Decides which requests become units, and starts them, for all copies of the middleware.
    class RequestUnits
      # @param ignored [Regexp] paths of requests that are not measured
      # @param ignored_starts [Array<String>, nil] how such paths begin; nil: unknown
      def initialize(recorder:, names:, queue:, ignored:, ignored_starts: nil, example_paths: false)
        @recorder = recorder
        @probe = recorder.probe
        @guard = recorder.guard
        @names = names
        @queue = queue
        @queue_header = queue.key
        @ignored = ignored
        @ignored_starts = ignored_starts
        @example_paths = example_paths
      end

      # @return [RequestUnit, nil] nil when this request is not measured, or measured already
      def start(env)
        return unless @probe.enabled?
        outer = Fiber[Recorder::OpenUnit::KEY]
        outer = nil if outer&.closed
        if outer
          return if known?(outer, env)
          outer = Recorder::OpenUnit.current
        end
        path = env["PATH_INFO"]
        return if path && (!@ignored_starts || path.start_with?(*@ignored_starts)) && ignored?(path)
        unit = RequestUnit.new(env, @recorder, @names)
        unit.open(outer, RequestUnit::WEB)
        unit.queued_ns = queued_ns(env) if env[@queue_header] || env[QueueTime::FALLBACK]
        unit.path = path(env) if @example_paths
        list = env[RequestUnit::FINISHED] || env[RequestUnit::AFTER_REPLY]
        unit.await_end(list) if list
        unit
      rescue *Guard::FAILURES => error
        @guard.failed(:rack, error)
      end

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
      FINISHED = "rack.response_finished"
      AFTER_REPLY = "rack.after_reply"
      HIJACKED = "rack.hijack_io"
      PARTIAL_HIJACK = "rack.hijack"
      FIRST_ERROR = 500
      REQUEST = Probe::KINDS.fetch(:request)
      # Name of a web server's thread pool.
      WEB = "web"
      # Statuses of responses whose path is kept as an example.
      GOOD = (200..399)
      # Set by the dashboard, whose requests are not the application's work.
      UNMEASURED = "holdup.unmeasured"
      # The client has gone: only Pitchfork reports these as errors.
      GONE = [Errno::EPIPE, Errno::ECONNRESET, Errno::ENOTCONN].freeze

      # @param names [UnitName]
      def initialize(env, recorder, names)
        super(recorder, REQUEST)
        @env = env
        @names = names
        @fiber = Fiber.current
        @listed = @error = false
        @status = nil
      end

      attr_writer :queued_ns

      # @return [String, nil] original path, before routers change the env
      attr_writer :path

      # Lets the server's callback end it.
      # @param list [Array] of the server's callbacks
      def await_end(list)
        return unless list.is_a?(Array) && !list.frozen?
        list.push(self)
        @listed = true
      end

      def for?(env) = @env.equal?(env)

      # A request whose response never finished (a server that forgets closed sockets): its fiber has another
      # request.
      def stale?
        @status && @fiber.equal?(Fiber.current)
      end

      # Raises nothing, whatever the application has answered.
      # @return [Object] the response for the server
      def answered(response)
        unless response.is_a?(Array)
          aborted(false)
          return response
        end
        status = response[0]
        @status = status.is_a?(Integer) ? status : status.to_s.to_i
        headers = response[1]
        if @status < 0 || @env[HIJACKED] || (headers.is_a?(Hash) && headers.key?(PARTIAL_HIJACK))
          finished # the server sends nothing more
          response
        else
          @listed ? response : wrapped(response)
        end
      end

      # The application ended without an answer.
      # @param error [Boolean] by an exception, not by throw or a killed thread
      def aborted(error)
        return if @status
        @error = error
        finished
      end

      def failed
        @error = true
      end

      def finished
        return cancel if @env&.key?(UNMEASURED)
        close(@error || (@status || 0) >= FIRST_ERROR)
      rescue *Guard::FAILURES => error
        @recorder.guard.failed(:rack, error)
      end

      # Pitchfork checks the arity of its callbacks.
      def arity = -1

      # The server's callback: no arguments (after_reply), or those of rack.response_finished.
      def call(_env = nil, status = nil, _headers = nil, error = nil)
        @status = status.to_i unless status.nil? || status == @status
        failed if error && !GONE.include?(error.class)
        finished
      end

      def cancel
        super
        @env = @fiber = nil
      end

      def name_so_far
        env = @env # another thread may set it to nil
        @name || (env && @names.so_far(env))
      end

      private

      def wrapped(response)
        [response[0], response[1], RackBody.new(response[2], self)]
      end

      # The application's name and its tracer's trace override those of the request.
      def complete
        @name ||= @names.call(@env, @status)
        @trace ||= TraceParent.call(@env) if @env[TraceParent::HEADER]
        @path = nil unless @path.nil? || GOOD.cover?(@status)
        @env = @fiber = nil
      end
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
