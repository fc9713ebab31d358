# frozen_string_literal: true

require_relative "../recorder"

module Holdup
  module Instrumentation
    # Measures each run of a job as one unit, for all runners' hooks.
    class JobUnits
      # A longer wait means a wrong clock.
      ABSURD_NS = 400 * 86_400 * 1_000_000_000

      # @param pool_of [#call, nil] takes a queue, returns the name of the pool that runs its jobs in this
      #   thread, or nil if that is unknown
      def initialize(recorder:, clock:, pool_of: nil)
        @recorder = recorder
        @probe = recorder.probe
        @guard = recorder.guard
        @clock = clock
        @pool_of = pool_of
        @priorities = PriorityNames.new
      end

      # Instrumentation that begins units itself uses these.
      attr_reader :recorder, :clock

      # Whether runs are measured: else the hooks need not read them.
      def on? = @probe.enabled?

      # @param id [Object] of the job
      # @return [JobUnit] a run that has not begun, for `measure`
      def run(id, name, queue)
        JobUnit.new(@recorder, id, name, queue)
      end

      # A job whose facts can't be read runs unmeasured.
      # @param error [Exception] one of Guard::FAILURES
      # @return [nil]
      def unreadable(error)
        @guard.failed(:job, error)
      end

      # The job's id identifies a run. A second call for it (Active Job's callback inside a runner's
      # middleware) measures nothing, but notices a failure that is rescued between the two (`retry_on`).
      # @param run [JobUnit, nil]
      # @param instead_of [String, nil] name that the first call may have given; `run` knows a better one
      # @return [Object] the block's value; its exception passes unchanged
      def measure(run, instead_of: nil)
        unit = begun = nil
        return yield unless run
        outer = Recorder::OpenUnit.current
        unit = outer && open_unit(outer, run.id)
        unit.name = run.name if unit && unit.name == instead_of
        unit ||= begun = begin_run(run, outer)
        earlier = $! # it may be older than the block, when a job runs in a `rescue`
        failed = true
        value = yield
        failed = false
        value
      ensure
        unit.failed if failed && unit && failure?(earlier, run.harmless)
        begun&.finish
      end

      # @param earlier [Exception, nil] `$!` before the run
      # @param harmless [Array<Class>, nil] exceptions that are not failures
      def failure?(earlier, harmless)
        @recorder.failed?(earlier) && harmless.to_a.none? { |type| type === $! }
      end

      private

      # @return [JobUnit, nil]
      def begin_run(run, outer)
        run.pool ||= @pool_of&.call(run.queue)
        run.priority = @priorities.text(run.priority) if run.priority
        run.queued_ns = queued_ns(run.ready_ns) if run.ready_ns
        run.open(outer, run.pool)
      rescue *Guard::FAILURES => error
        @guard.failed(:job, error)
      end

      # The unit of this run, if measured already; other units may be open inside it.
      def open_unit(unit, id)
        unit = unit.outer until unit.nil? || (unit.is_a?(JobUnit) && unit.for?(id))
        unit
      end

      def queued_ns(ready_ns)
        waited = @clock.realtime_ns - ready_ns
        return if waited > ABSURD_NS
        @recorder.count_clamped if waited.negative?
        [waited, 0].max
      end
    end

    # The unit of one run of a job, as its runner or Active Job knows it. It has the job's id, because both
    # see the run and must make one unit of it.
    class JobUnit < Recorder::OpenUnit
      include Probe::JobEnds

      JOB = Probe::KINDS.fetch(:job)

      if Probe.supported?
        public :id, :queue

        # When it was ready to run, in ns since 1970; nil: unknown.
        public :ready_ns, :ready_ns=

        # The pool of the runner's threads; nil: the one of JobUnits.
        public :pool, :pool=

        public :priority, :priority=

        # Classes of exceptions that are not failures.
        public :harmless, :harmless=

        # Time for which the job was ready before this run.
        public :queued_ns=
      end

      def initialize(recorder, id, name, queue)
        super(recorder, JOB, name, queue)
        self.id = id
      end

      def for?(other)
        !id.nil? && id == other
      end

      # The run has failed, even when its exception is rescued.
      def failed
        self.failure = true
      end

      def close(error = failure) = super
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
