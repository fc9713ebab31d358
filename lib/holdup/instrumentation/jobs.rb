# frozen_string_literal: true

require_relative "job_unit"

module Holdup
  module Instrumentation
    # Measures each run of a job as one unit. Shared by all runners' hooks.
    class Jobs
      # Nobody's queue is that old; it is a wrong clock.
      ABSURD_NS = 400 * 86_400 * 1_000_000_000

      # @param recorder [Recorder]
      # @param clock [#realtime_ns]
      def initialize(recorder:, clock:)
        @recorder = recorder
        @clock = clock
      end

      # @param id [String, nil] the job's; a job that is already measured here is not measured again
      # @param name [String] its class
      # @param queue [String, nil]
      # @param ready_ns [Integer, nil] since 1970: from when on the job could have been run
      # @param harmless [Array<Class>] exceptions by which a run ends without having failed
      # @return [Object] the block's value; its exception goes on untouched
      def measure(id:, name:, queue: nil, ready_ns: nil, harmless: [])
        unit = start(id, name, queue, ready_ns)
        earlier = $!
        yield
      ensure
        @recorder.guard.call(:job) { unit.close(error: failed?(earlier, harmless)) } if unit
      end

      # Reads what a runner says of a job; a job that can't be read is run all the same, unmeasured.
      # @return [Object, nil] the block's value; nil when nothing is measured
      def read(&)
        @recorder.guard.call(:job, &) if @recorder.on?
      end

      private

      def start(id, name, queue, ready_ns)
        return unless @recorder.on?
        @recorder.guard.call(:job) do
          JobUnit.new(@recorder, id:, name:, queue:, queued_ns: queued_ns(ready_ns)).open unless known?(id)
        end
      end

      def known?(id)
        unit = Recorder::Unit.current
        unit.is_a?(JobUnit) && unit.for?(id)
      end

      def queued_ns(ready_ns)
        return unless ready_ns
        waited = @clock.realtime_ns - ready_ns
        return if waited > ABSURD_NS
        @recorder.count_clamped if waited.negative?
        [waited, 0].max
      end

      def failed?(earlier, harmless)
        !$!.equal?(earlier) && harmless.none? { |type| type === $! }
      end
    end
  end
end
