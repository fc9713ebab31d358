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

      # @return [Boolean, nil] whether its tracer's span has got its attributes
      attr_accessor :explained

      # @return [Integer] unique; 0 where nothing is measured
      attr_reader :handle

      # @return [OpenUnit, nil] the open unit around this one
      attr_reader :outer

      def initialize(recorder, kind, name = nil, queue = nil)
        @recorder = recorder
        @kind = kind
        @name = name
        @queue = queue
        @closed = false
      end

      def open
        @thread = Thread.current
        @outer = OpenUnit.current
        @handle = @recorder.enter(thread_pool)
        @recorder.watcher&.opened(self)
        Fiber[KEY] = self
      end

      def closed? = @closed

      # @return [Boolean] whether this thread is the measured one; the unit's other threads find it too
      def here? = @thread.equal?(Thread.current)

      # @return [ConnectionHold] the connections that this unit holds; charged when the unit ends
      def holding(clock)
        @holding ||= ConnectionHold.new(clock)
      end

      # @param which [Symbol] a key of Probe::CHARGES
      def charge(which, ns)
        @recorder.charge(@handle, which, ns)
      end

      # @return [Integer, nil] so far; nil: unknown
      def stalled_ns = @recorder.stalled_ns(@handle)

      # @return [Array<Array>, nil] holders that it waited for so far (Recorder#holders)
      def holders = @recorder.holders(@handle)

      # @return [String, nil] its name if known by now; any thread may ask
      def name_so_far = @name

      # @return [Integer, nil] ns that it waited before a thread took it
      def queued_ns = nil

      # Ends and records the unit; does nothing when called again.
      # @param error [Boolean] whether the work failed
      def close(error: false)
        leave do
          @recorder.watcher&.closing(self)
          charge(:pool_held, @holding.end) if @holding
          @name = final_name
          @recorder.leave(
            @handle,
            kind: @kind,
            name: @name,
            queue: @queue,
            queued_ns:,
            error:,
            pool:,
            priority:,
            trace:,
            path:
          )
        end
      end

      # Ends the unit and forgets it.
      def cancel
        leave { @recorder.cancel(@handle) }
      end

      private

      def final_name = @name

      def pool = nil

      # The pool of this thread.
      def thread_pool = pool

      # Whether it runs inside of another unit of this thread.
      def inside? = !!outer&.here?

      def priority = nil

      def path = nil

      # A long-lived thread that was started inside a unit keeps it in its storage: so it drops its
      # references.
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

    # How long one unit holds connections: the sum over all of them, until they are returned or the unit ends,
    # whichever is earlier. It has no reference to the unit or the connections, so it keeps neither alive.
    #
    # Threads may share one: the clock is read first, because threads don't switch within one line of
    # arithmetic.
    class ConnectionHold
      def initialize(clock)
        @clock = clock
        @ns = @open = 0
      end

      # A connection is taken.
      def take
        now = @clock.monotonic_ns
        @ns -= now
        @open += 1
        self
      end

      # A connection is returned. Does nothing after the unit's end, where it has been counted.
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
