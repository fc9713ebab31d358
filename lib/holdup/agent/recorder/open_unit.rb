# frozen_string_literal: true

module Holdup
  class Recorder
    # One open unit. The current one is found through the fiber's storage, which fibers and threads inherit:
    # code that runs in a fiber of the request's own (an Enumerator, an async task) can still name the unit.
    class OpenUnit
      KEY = :holdup_unit

      # @return [OpenUnit, nil] the innermost open unit here
      def self.current
        unit = Fiber[KEY]
        unit unless unit.nil? || unit.closed?
      end

      # @return [String, nil] set by the application, stronger than any name we find
      attr_accessor :name

      # @return [String, nil] the trace that it belongs to, 32 hexadecimal digits
      attr_accessor :trace

      # @return [Boolean, nil] whether the span that it is has been told of it
      attr_accessor :explained

      # @return [Integer] 0 where nothing is measured; never given again
      attr_reader :handle

      # @return [OpenUnit, nil] the open unit that this one was opened in
      attr_reader :outer

      def initialize(recorder, kind, name = nil, queue = nil)
        @recorder = recorder
        @kind = kind
        @name = name
        @queue = queue
        @closed = false
      end

      # @return [self]
      def open
        @thread = Thread.current
        @outer = OpenUnit.current
        @handle = @recorder.enter(thread_pool)
        @recorder.watcher&.opened(self)
        Fiber[KEY] = self
      end

      def closed? = @closed

      # @return [Boolean] whether this thread is the measured one; threads that a unit starts find it too
      def here? = @thread.equal?(Thread.current)

      # @param clock [#monotonic_ns]
      # @return [ConnectionHold] what this unit keeps of pools; it is charged when the unit ends
      def holding(clock)
        @holding ||= ConnectionHold.new(clock)
      end

      # @param which [Symbol] a key of Recorder::CHARGES
      # @param ns [Integer]
      # @return [nil]
      def charge(which, ns)
        @recorder.charge(@handle, which, ns)
      end

      # @return [Integer, nil] so far; nil when nobody knows
      def stalled_ns = @recorder.stalled_ns(@handle)

      # @return [Array<Array>, nil] for whom it waited so far (Recorder#holders)
      def holders = @recorder.holders(@handle)

      # @return [String, nil] what it is called as far as that is known by now; any thread may ask
      def name_so_far = @name

      # @return [Integer, nil] what it waited before a thread took it
      def queued_ns = nil

      # Ends and records the unit; again: nothing.
      # @param error [Boolean] whether the work failed
      # @return [nil]
      def close(error: false)
        leave do
          @recorder.watcher&.closing(self)
          charge(:pool_held, @holding.end) if @holding
          @name = final_name
          @recorder.leave(@handle, @kind, @name, @queue, queued_ns, error, pool, priority, trace, path)
        end
      end

      # Ends the unit and forgets it.
      # @return [nil]
      def cancel
        leave { @recorder.cancel(@handle) }
      end

      private

      def final_name = @name

      def pool = nil

      # The pool of this thread, whose time it takes.
      def thread_pool = pool

      # Whether another unit took this thread.
      def inside? = !!outer&.here?

      def priority = nil

      def path = nil

      # A long-lived thread that was started inside a unit keeps it in its storage: hold on to nothing.
      def leave
        return if @closed
        @closed = true
        yield
        nil
      ensure
        Fiber[KEY] = @outer if Fiber[KEY].equal?(self)
        @outer = @thread = nil
        @recorder.watcher&.closed(self)
      end
    end

    # For how long one unit keeps connections (or what else a pool has) from others: the sum over all of them,
    # until they are given back or the unit ends, whichever is earlier. It knows neither the unit nor the
    # connections, so that whoever keeps it keeps nothing else alive.
    #
    # Threads may share one: the clock is read first, because within one line of arithmetic threads don't
    # switch.
    class ConnectionHold
      # @param clock [#monotonic_ns]
      def initialize(clock)
        @clock = clock
        @ns = @open = 0
      end

      # One more is kept.
      # @return [self]
      def take
        now = @clock.monotonic_ns
        @ns -= now
        @open += 1
        self
      end

      # One less. After the unit's end: nothing, because up to then it has been counted.
      # @return [void]
      def give_back
        return if @open.zero?
        now = @clock.monotonic_ns
        @ns += now
        @open -= 1
      end

      # @return [Integer] ns up to now, of all connections together
      def so_far
        now = @clock.monotonic_ns
        @ns + @open * now
      end

      # The unit ends.
      # @return [Integer] ns, of all connections together
      def end
        @ns = so_far if @open.positive?
        @open = 0
        @ns
      end
    end
  end
end
