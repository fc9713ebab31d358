# frozen_string_literal: true

require_relative "../recorder"
require_relative "rack"

module Holdup
  module Instrumentation
    # Decides which requests become units, and starts them, for all copies of the middleware.
    class RequestUnits
      def initialize(recorder:, names:, queue:, ignored:, example_paths: false)
        @recorder = recorder
        @probe = recorder.probe
        @guard = recorder.guard
        @names = names
        @queue = queue
        @ignored = ignored
        @example_paths = example_paths
      end

      # @return [RequestUnit, nil] nil when this request is not measured, or measured already
      def start(env)
        @guard.call(:rack) { begin_unit(env) } if @probe.enabled?
      end

      # @return [Integer, nil] nil without a header that says it, or when it can't be read
      def queued_ns(env)
        @guard.call(:queue) { @queue.call(env) } if @queue.header(env)
      end

      # @return [String, nil] original path of a GET, where paths are kept
      def path(env)
        return unless @example_paths && env["REQUEST_METHOD"] == "GET"
        env["SCRIPT_NAME"].to_s.b << env["PATH_INFO"].to_s.b
      end

      # @return [String, nil] nil when naming failed
      def name(env, status)
        @guard.call(:name) { @names.call(env, status) }
      end

      # Name of a request that still runs, perhaps in another thread.
      def name_so_far(env)
        @guard.call(:name) { @names.so_far(env) }
      end

      private

      def begin_unit(env)
        outer = Recorder::OpenUnit.current
        if outer
          return if known?(outer, env)
          outer = Recorder::OpenUnit.current
        end
        RequestUnit.new(env, @recorder, self).open(outer) unless ignored?(env["PATH_INFO"])
      end

      def known?(unit, env)
        return false unless unit.is_a?(RequestUnit)
        unit.cancel if unit.stale?
        unit.for?(env)
      end

      # A server may give a path as bytes; ignored paths are text.
      def ignored?(path)
        return false unless path.is_a?(String)
        unless path.ascii_only?
          path = path.dup.force_encoding(Encoding::UTF_8)
          return false unless path.valid_encoding?
        end
        @ignored.match?(path)
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
      # Name of a web server's thread pool.
      WEB = "web"
      # Statuses of responses whose path is kept as an example.
      GOOD = (200..399)
      # Set by the dashboard, whose requests are not the application's work.
      UNMEASURED = "holdup.unmeasured"
      # The client has gone: only Pitchfork reports these as errors.
      GONE = [Errno::EPIPE, Errno::ECONNRESET, Errno::ENOTCONN].freeze

      def initialize(env, recorder, requests)
        super(recorder, :request)
        @env = env
        @requests = requests
        @answered = @error = false
      end

      def open(outer)
        super
        @fiber = Fiber.current
        @queued_ns = @requests.queued_ns(@env)
        @path = @requests.path(@env)
        @listed = list&.push(self)
        self
      end

      def for?(env) = @env.equal?(env)

      # A request whose response never finished (a server that forgets closed sockets): its fiber has another
      # request.
      def stale?
        @answered && @fiber.equal?(Fiber.current)
      end

      def answered? = @answered

      # Raises nothing, whatever the application has answered.
      # @return [Object] the response for the server
      def answered(response)
        return response unless response.is_a?(Array)
        status = response[0]
        @status = status.is_a?(Integer) ? status : status.to_s.to_i
        @answered = true
        if over?(response[1])
          finished
          response
        else
          @listed ? response : wrapped(response)
        end
      end

      # The application ended without an answer.
      # @param error [Boolean] by an exception, not by throw or a killed thread
      def aborted(error)
        return if @answered
        @error = error
        finished
      end

      def failed
        @error = true
      end

      def finished
        @recorder.guard.call(:rack) do
          next cancel if @env&.key?(UNMEASURED)
          close(error: @error || @status.to_i >= FIRST_ERROR)
        end
      end

      # Pitchfork checks the arity of its callbacks.
      def arity = -1

      # The server's callback: no arguments (after_reply), or those of rack.response_finished.
      def call(_env = nil, status = nil, _headers = nil, error = nil)
        @status = status.to_i if status
        failed if error && !GONE.include?(error.class)
        finished
      end

      attr_reader :queued_ns

      # The application's tracer overrides the request's header.
      def trace
        @trace || (@env && TraceParent.call(@env))
      end

      def name_so_far
        env = @env # another thread may set it to nil
        @name || (env && @requests.name_so_far(env))
      end

      private

      def thread_pool
        WEB unless @outer&.here?
      end

      def list
        list = @env[FINISHED] || @env[AFTER_REPLY]
        list if list.is_a?(Array) && !list.frozen?
      end

      # The server sends nothing more: the socket was hijacked, or the response goes elsewhere.
      def over?(headers)
        @status < 0 || @env[HIJACKED] || (headers.is_a?(Hash) && headers.key?(PARTIAL_HIJACK))
      end

      def wrapped(response)
        [response[0], response[1], RackBody.new(response[2], self)]
      end

      # The path before routers changed the env.
      def path
        @path if @path && GOOD.cover?(@status)
      end

      def final_name
        @name || @requests.name(@env, @status)
      end

      def forget
        super
        @env = @fiber = @listed = nil
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
