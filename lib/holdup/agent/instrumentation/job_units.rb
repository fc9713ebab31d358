# frozen_string_literal: true

require_relative "../recorder/open_unit"

module Holdup
  module Instrumentation
    # Measures each run of a job as one unit. Shared by all runners' hooks.
    class JobUnits
      NONE = [].freeze
      # Nobody's queue is that old; it is a wrong clock.
      ABSURD_NS = 400 * 86_400 * 1_000_000_000

      # @param recorder [Recorder]
      # @param clock [#realtime_ns]
      # @param pool_of [#call] queue => the name of the pool that this thread runs its jobs in, nil when not
      #   known
      def initialize(recorder:, clock:, pool_of: ->(_queue) {})
        @recorder = recorder
        @clock = clock
        @pool_of = pool_of
        @priorities = PriorityNames.new
      end

      # A run is known by its job's id: who is the second to see it (a runner's middleware, then Active Job's
      # callback) measures nothing, but may see a failure that the first does not, because it is rescued
      # between them (`retry_on`).
      # @param id [String, nil] the job's
      # @param name [String] its class
      # @param queue [String, nil]
      # @param ready_ns [Integer, nil] since 1970: from when on the job could have been run
      # @param pool [String, nil] of the threads that run it; nil: whoever knows the process says it
      # @param priority [Integer, nil]
      # @param harmless [Array<Class>] exceptions by which a run ends without having failed
      # @return [Object] the block's value; its exception goes on untouched
      def measure(id:, name:, queue: nil, ready_ns: nil, pool: nil, priority: nil, harmless: NONE, &)
        return yield unless @recorder.on?
        known = known(id)
        return watch(known, harmless, &) if known
        unit = start(id, name, queue, ready_ns, pool, priority)
        unit ? run(unit, harmless, &) : yield
      end

      # Reads what a runner says of a job; a job that can't be read is run all the same, unmeasured.
      # @return [Object, nil] the block's value; nil when nothing is measured
      def read(&)
        @recorder.guard.call(:job, &) if @recorder.on?
      end

      private

      def start(id, name, queue, ready_ns, pool, priority)
        @recorder.guard.call(:job) do
          JobUnit.new(@recorder, id:, name:, queue:, queued_ns: queued_ns(ready_ns),
            pool: pool || @pool_of.call(queue), priority: @priorities.text(priority)).open
        end
      end

      def run(unit, harmless, &)
        watch(unit, harmless, &)
      ensure
        @recorder.guard.call(:job) { unit.close }
      end

      # `$!` may be older than the block: a job that is run in a `rescue`.
      def watch(unit, harmless)
        earlier = $!
        yield
      ensure
        unit.failed if @recorder.failed?(earlier) && harmless.none? { |type| type === $! }
      end

      # The run may be measured already, also where code around it has opened units of its own since.
      def known(id)
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

    # Priorities of jobs as text, each made once. Units are kept apart by it, so there must be few: an
    # application that computes priorities (from the time, from an id) gets one for all beyond the first.
    class PriorityNames
      MOST = 8
      OTHERS = "others"

      def initialize
        @known = {}
      end

      # @param priority [Integer, nil]
      # @return [String, nil] "10"; nil for a job without one
      def text(priority)
        return unless priority
        @known.fetch(priority) { (@known.size < MOST) ? @known[priority] = priority.to_s.freeze : OTHERS }
      end
    end
  end
end
