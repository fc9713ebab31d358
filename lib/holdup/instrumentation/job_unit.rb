# frozen_string_literal: true

require_relative "../recorder/unit"

module Holdup
  module Instrumentation
    # The unit of one run of a job. Knows the job's id, so that a runner's middleware and Active Job's callback, which
    # both see the same run, make one unit of it.
    class JobUnit < Recorder::Unit
      # @param id [String, nil] whether a further look is at the same job
      # @param queued_ns [Integer, nil] how long the job was ready before this run
      def initialize(recorder, id:, name:, queue:, queued_ns:)
        super(recorder, :job, name, queue)
        @id = id
        @queued_ns = queued_ns
        @failed = false
      end

      # @return [Boolean]
      def for?(id) = !id.nil? && @id == id

      # The run has failed, whatever becomes of its exception.
      # @return [void]
      def failed
        @failed = true
      end

      # @return [nil]
      def close(error: @failed) = super

      private

      attr_reader :queued_ns
    end
  end
end
