# frozen_string_literal: true

require_relative "../recorder"

module Holdup
  module Instrumentation
    # One run of a job, as a runner or Active Job knows it.
    #
    # - `id`: of the job; `ready_ns`: when it was ready to run, since 1970
    # - `pool`: nil: the one of JobUnits; `harmless`: classes of exceptions that are not failures
    JobRun = Struct.new(:id, :name, :queue, :ready_ns, :pool, :priority, :harmless)

    # Measures each run of a job as one unit, for all runners' hooks.
    class JobUnits
      # A longer wait means a wrong clock.
      ABSURD_NS = 400 * 86_400 * 1_000_000_000

      # the name of the pool => @param pool_of [#call] takes a queue; gives the pool that runs its jobs in
      # this thread, nil: unknown
      def initialize(recorder:, clock:, pool_of: nil)
        @recorder = recorder
        @guard = recorder.guard
        @clock = clock
        @pool_of = pool_of
        @priorities = PriorityNames.new
      end

      # The job's id identifies a run. A second call for it (Active Job's callback inside a runner's
      # middleware) measures nothing, but notices a failure that is rescued between the two (`retry_on`).
      # @yieldreturn [JobRun] a job whose facts can't be read runs unmeasured
      # @return [JobRun, nil] for `measure`; nil when nothing is measured
      def read(&)
        @guard.call(:job, &) if @recorder.on?
      end

      # @param run [JobRun, nil] of `read`
      # @return [Object] the block's value; its exception passes unchanged
      def measure(run, &)
        return yield unless run
        open = open_unit(run.id)
        return watch_failure(open, run.harmless, &) if open
        unit = @guard.call(:job) { start(run) }
        return yield unless unit
        begin
          watch_failure(unit, run.harmless, &)
        ensure
          @guard.call(:job) { unit.close }
        end
      end

      private

      def start(run)
        run.pool ||= @pool_of&.call(run.queue)
        run.priority = @priorities.text(run.priority) if run.priority
        JobUnit.new(@recorder, run, queued_ns(run.ready_ns)).open
      end

      # `$!` may be older than the block, when a job runs in a `rescue`.
      def watch_failure(unit, harmless)
        earlier = $!
        yield
      ensure
        unit.failed if @recorder.failed?(earlier) && harmless.to_a.none? { |type| type === $! }
      end

      # The unit of this run, if measured already; other units may be open inside it.
      def open_unit(id)
        unit = Recorder::OpenUnit.current
        unit = unit.outer until unit.nil? || (unit.is_a?(JobUnit) && unit.for?(id))
        unit
      end

      def queued_ns(ready_ns)
        return unless ready_ns
        waited = @clock.realtime_ns - ready_ns
        return if waited > ABSURD_NS
        @recorder.count_clamped if waited.negative?
        [waited, 0].max
      end
    end

    # The unit of one run of a job. It has the job's id, because a runner's middleware and Active Job's
    # callback both see the run and must make one unit of it.
    class JobUnit < Recorder::OpenUnit
      # @param run [JobRun]
      # @param queued_ns [Integer, nil] time for which the job was ready before this run
      def initialize(recorder, run, queued_ns)
        super(recorder, :job, run.name, run.queue)
        @run = run
        @queued_ns = queued_ns
        @failed = false
      end

      def for?(id)
        !id.nil? && @run.id == id
      end

      # The run has failed, even when its exception is rescued.
      def failed
        @failed = true
      end

      def close(error: @failed) = super

      attr_reader :queued_ns

      private

      # A job inside another unit was not taken from a queue, and the other contains its time.
      def pool
        @run.pool unless inside?
      end

      def priority
        @run.priority unless inside?
      end
    end

    # Priorities of jobs as text, each created once. Each is a separate series, so there must be few: an
    # application that computes priorities (from time or id) gets one name for all beyond the first.
    class PriorityNames
      MOST = 8
      OTHERS = "others"

      def initialize
        @known = {}
      end

      def text(priority)
        return unless priority
        @known.fetch(priority) do
          next OTHERS if @known.size >= MOST
          @known[priority] = priority.to_s.freeze
        end
      end
    end
  end
end
