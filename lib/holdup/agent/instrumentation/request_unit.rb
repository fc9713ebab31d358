# frozen_string_literal: true

require_relative "../recorder/open_unit"
require_relative "rack_body"
require_relative "trace_parent"

module Holdup
  module Instrumentation
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
  end
end
