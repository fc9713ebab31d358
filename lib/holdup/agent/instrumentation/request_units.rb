# frozen_string_literal: true

require_relative "../recorder/open_unit"
require_relative "rack"

module Holdup
  module Instrumentation
    # Decides which requests become units, and starts them. Shared by all copies of the middleware.
    class RequestUnits
      # @param recorder [Recorder]
      # @param names [UnitName]
      # @param queue [QueueTime]
      # @param ignored [Regexp] paths that are not measured
      # @param example_paths [Boolean] whether paths are kept
      def initialize(recorder:, names:, queue:, ignored:, example_paths: false)
        @recorder = recorder
        @names = names
        @queue = queue
        @ignored = ignored
        @example_paths = example_paths
      end

      # @param env [Hash] the Rack environment
      # @return [RequestUnit, nil] the open unit; nil when this request is not measured (or is already)
      def start(env)
        return unless @recorder.on?
        @recorder.guard.call(:rack) { begin_unit(env) unless known?(env) || ignored?(env["PATH_INFO"]) }
      end

      # @return [Array] the response to hand on; the application's own when anything of ours fails
      def answered(unit, response)
        @recorder.guard.call(:rack) { unit.answered(response) } || response
      end

      # @return [Integer, nil] nanoseconds that the request waited before its unit began
      def queued_ns(env)
        @recorder.guard.call(:queue) { @queue.call(env) }
      end

      # @return [String, nil] of a GET, as the server got it, where paths are kept
      def path(env)
        if @example_paths && env["REQUEST_METHOD"] == "GET"
          env["SCRIPT_NAME"].to_s.b << env["PATH_INFO"].to_s.b
        end
      end

      # @return [String, nil] nil when naming failed: the unit is recorded all the same
      def name(env, status)
        @recorder.guard.call(:name) { @names.call(env, status) }
      end

      # @return [String, nil] what a request is called that goes on, perhaps in another thread
      def name_so_far(env)
        @recorder.guard.call(:name) { @names.so_far(env) }
      end

      private

      def begin_unit(env)
        RequestUnit.new(env, @recorder, self).open
      end

      def known?(env)
        unit = Recorder::OpenUnit.current
        return false unless unit.is_a?(RequestUnit)
        unit.cancel if unit.stale?
        unit.for?(env)
      end

      # A server may give a path as bytes; what somebody ignores is text.
      def ignored?(path)
        return false unless path.is_a?(String)
        path = path.dup.force_encoding(Encoding::UTF_8) unless path.ascii_only?
        path.valid_encoding? && @ignored.match?(path)
      end
    end

    # The unit of one Rack request, from the first line to the closed body. It waits in the server's own list
    # of what to call when the response is finished (`rack.response_finished`, or `rack.after_reply` of Puma,
    # Unicorn, Pitchfork): that is the exact end, and costs no object. Only where there is no such list it
    # wraps the body.
    class RequestUnit < Recorder::OpenUnit
      FINISHED = "rack.response_finished"
      AFTER_REPLY = "rack.after_reply"
      HIJACKED = "rack.hijack_io"
      PARTIAL_HIJACK = "rack.hijack"
      FIRST_ERROR = 500
      # What servers call their pool of threads.
      WEB = "web"
      # Of answers to what can be asked again.
      GOOD = (200..399)
      # Set by what is not the application's own work: the dashboard.
      UNMEASURED = "holdup.unmeasured"
      # Pitchfork tells these as errors where other servers keep silent: nobody was left to take the answer.
      GONE = [Errno::EPIPE, Errno::ECONNRESET, Errno::ENOTCONN].freeze

      # @param env [Hash] the Rack environment
      # @param recorder [Recorder]
      # @param requests [RequestUnits] tells names and queue times
      def initialize(env, recorder, requests)
        super(recorder, :request)
        @env = env
        @requests = requests
        @answered = @error = false
      end

      # @return [self]
      def open
        super
        @fiber = Fiber.current
        @queued_ns = @requests.queued_ns(@env)
        @path = @requests.path(@env)
        @listed = list&.push(self)
        self
      end

      def for?(env) = @env.equal?(env)

      # A request whose response nobody ever finished (a server that forgets closed sockets): its fiber has
      # another now.
      def stale?
        @answered && @fiber.equal?(Fiber.current)
      end

      # The application answered.
      # @return [Array] the response to hand on
      def answered(response)
        @status = response[0].to_i
        @answered = true
        return response if !over?(response[1]) && @listed
        return wrapped(response) unless over?(response[1])
        finished
        response
      end

      # The application left without an answer.
      # @param error [Boolean] by an exception (else by throw, or its thread was killed)
      def aborted(error)
        return if @answered
        @error = error
        finished
      end

      def failed
        @error = true
      end

      def finished
        @recorder.guard.call(:rack) {
          @env&.key?(UNMEASURED) ? cancel : close(error: @error || @status.to_i >= FIRST_ERROR)
        }
      end

      # Pitchfork asks what it calls whether it takes arguments.
      def arity = -1

      # The server's call: without arguments (after_reply), or as rack.response_finished.
      def call(_env = nil, status = nil, _headers = nil, error = nil)
        @status = status.to_i if status
        failed if error && !GONE.include?(error.class)
        finished
      end

      # @return [Integer, nil]
      attr_reader :queued_ns

      # Its own tracer knows better than who asked.
      # @return [String, nil]
      def trace
        @trace || (@env && TraceParent.call(@env))
      end

      # @return [String, nil]
      def name_so_far
        env = @env # is let go of at the end
        @name || (env && @requests.name_so_far(env))
      end

      private

      def thread_pool
        WEB unless inside?
      end

      def list
        list = @env[FINISHED] || @env[AFTER_REPLY]
        list if list.is_a?(Array) && !list.frozen?
      end

      # Nothing more comes through the server: the socket was taken, or the answer will be given elsewhere.
      def over?(headers)
        @status < 0 || @env[HIJACKED] || (headers.is_a?(Hash) && headers.key?(PARTIAL_HIJACK))
      end

      def wrapped(response)
        [response[0], response[1], RackBody.new(response[2], self)]
      end

      # Whatever routers have made of it meanwhile.
      def path
        @path if GOOD.cover?(@status)
      end

      def final_name
        @name || @requests.name(@env, @status)
      end

      def leave
        super
      ensure
        @env = @fiber = @listed = nil if closed?
      end
    end

    # The trace that a request says it belongs to, by the W3C header.
    module TraceParent
      HEADER = "HTTP_TRACEPARENT"
      # Version, trace, span, flags: 00-<32 digits>-<16 digits>-01. Later versions may say more behind it.
      LEAST_BYTES = 55
      TRACE = (3..34)

      # @param env [Hash] the Rack environment
      # @return [String, nil] what should be 32 hexadecimal digits; whoever writes it checks that
      def self.call(env)
        text = env[HEADER] or return
        text.byteslice(TRACE) if text.is_a?(String) && text.bytesize >= LEAST_BYTES
      end
    end
  end
end
