# frozen_string_literal: true

require_relative "request_unit"

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
  end
end
