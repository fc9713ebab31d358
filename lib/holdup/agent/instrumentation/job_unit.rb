# frozen_string_literal: true

require_relative "../recorder/open_unit"

module Holdup
  module Instrumentation
    # The unit of one run of a job. Knows the job's id, so that a runner's middleware and Active Job's
    # callback, which both see the same run, make one unit of it.
    class JobUnit < Recorder::OpenUnit
      # @param id [String, nil] whether a further look is at the same job
      # @param queued_ns [Integer, nil] how long the job was ready before this run
      # @param pool [String, nil] of the threads that run it
      # @param priority [String, nil]
      def initialize(recorder, id:, name:, queue:, queued_ns:, pool: nil, priority: nil)
        super(recorder, :job, name, queue)
        @id = id
        @queued_ns = queued_ns
        @pool = pool
        @priority = priority
        @failed = false
      end

      # @return [Boolean]
      def for?(id)
        !id.nil? && @id == id
      end

      # The run has failed, whatever becomes of its exception.
      # @return [void]
      def failed
        @failed = true
      end

      # @return [nil]
      def close(error: @failed) = super

      # @return [Integer, nil]
      attr_reader :queued_ns

      private

      # What runs inside of another unit was taken by nobody, and its time is in the other's already.
      def pool
        @pool unless inside?
      end

      def priority
        @priority unless inside?
      end
    end
  end
end
