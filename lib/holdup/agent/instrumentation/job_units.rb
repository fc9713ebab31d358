# frozen_string_literal: true

require_relative "../recorder"

module Holdup
  module Instrumentation
    # Measures each run of a job as one unit, for all runners' hooks.
    class JobUnits
      NONE = [].freeze
      # A longer wait means a wrong clock.
      ABSURD_NS = 400 * 86_400 * 1_000_000_000

      # the name of the pool => @param pool_of [#call] takes a queue; gives the pool that runs its jobs in
      # this thread, nil: unknown
      def initialize(recorder:, clock:, pool_of: ->(_queue) {})
        @recorder = recorder
        @clock = clock
        @pool_of = pool_of
        @priorities = PriorityNames.new
      end

      # The job's id identifies a run. A second call for it (Active Job's callback inside a runner's
      # middleware) measures nothing, but notices a failure that is rescued between the two (`retry_on`).
      # @param ready_ns [Integer, nil] when the job was ready to run, since 1970
      # @param pool [String, nil] nil: the one from `pool_of`
      # @param harmless [Array<Class>] exceptions that are not failures
      # @return [Object] the block's value; its exception passes unchanged
      def measure(id:, name:, queue: nil, ready_ns: nil, pool: nil, priority: nil, harmless: NONE, &)
        return yield unless @recorder.on?
        open = open_unit(id)
        return watch_failure(open, harmless, &) if open
        unit = start(id:, name:, queue:, ready_ns:, pool:, priority:)
        unit ? run(unit, harmless, &) : yield
      end

      # A job whose facts can't be read runs unmeasured.
      # @return [Object, nil] the block's value; nil when nothing is measured
      def read(&)
        @recorder.guard.call(:job, &) if @recorder.on?
      end

      private

      def start(id:, name:, queue:, ready_ns:, pool:, priority:)
        @recorder.guard.call(:job) do
          unit = JobUnit.new(
            @recorder,
            id:,
            name:,
            queue:,
            queued_ns: queued_ns(ready_ns),
            pool: pool || @pool_of.call(queue),
            priority: @priorities.text(priority)
          )
          unit.open
        end
      end

      def run(unit, harmless, &)
        watch_failure(unit, harmless, &)
      ensure
        @recorder.guard.call(:job) { unit.close }
      end

      # `$!` may be older than the block, when a job runs in a `rescue`.
      def watch_failure(unit, harmless)
        earlier = $!
        yield
      ensure
        unit.failed if @recorder.failed?(earlier) && harmless.none? { |type| type === $! }
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
      # @param queued_ns [Integer, nil] time for which the job was ready before this run
      def initialize(recorder, id:, name:, queue:, queued_ns:, pool: nil, priority: nil)
        super(recorder, :job, name, queue)
        @id = id
        @queued_ns = queued_ns
        @pool = pool
        @priority = priority
        @failed = false
      end

      def for?(id)
        !id.nil? && @id == id
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
        @pool unless inside?
      end

      def priority
        @priority unless inside?
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
