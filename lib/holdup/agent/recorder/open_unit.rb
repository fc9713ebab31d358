# frozen_string_literal: true

module Holdup
  class Recorder
    # One open unit. Fiber storage holds the current one; fibers and threads inherit it, so code in a fiber of
    # the request's own (an Enumerator, an async task) can still name the unit.
    class OpenUnit
      KEY = :holdup_unit

      # The innermost open unit here.
      def self.current
        unit = Fiber[KEY]
        unit unless unit.nil? || unit.closed?
      end

      # Set by the application; stronger than any name we find.
      attr_accessor :name

      # Its trace: 32 hexadecimal digits.
      attr_accessor :trace

      # Whether its tracer's span has its attributes.
      attr_accessor :explained

      # Unique; 0 where nothing is measured.
      attr_reader :handle

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

      # Whether this thread is the measured one; the unit's other threads find the unit too.
      def here? = @thread.equal?(Thread.current)

      # Connections that this unit holds; charged when the unit ends.
      def holding(clock)
        @holding ||= ConnectionHold.new(clock)
      end

      # @param which [Symbol] a key of Probe::CHARGES
      def charge(which, ns)
        @recorder.charge(@handle, which, ns)
      end

      def stalled_ns = @recorder.stalled_ns(@handle)

      # Holders that it waited for so far (Recorder#holders).
      def holders = @recorder.holders(@handle)

      # Its name if known by now; any thread may ask.
      def name_so_far = @name

      def queued_ns = nil

      # Records the unit; does nothing when called again.
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

      # Ends the unit without recording it.
      def cancel
        leave { @recorder.cancel(@handle) }
      end

      private

      def final_name = @name

      def pool = nil

      def thread_pool = pool

      # Whether it runs inside another unit of this thread.
      def inside? = !!outer&.here?

      def priority = nil

      def path = nil

      # Drops references, because a long-lived thread started inside a unit keeps the unit in its storage.
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

    # Time for which one unit holds connections: summed over them, until they are returned or the unit ends.
    # It refers neither to the unit nor to the connections, so it keeps neither alive.
    #
    # Threads may share one: the clock is read first, because threads don't switch within one line of
    # arithmetic.
    class ConnectionHold
      def initialize(clock)
        @clock = clock
        @ns = @open = 0
      end

      def take
        now = @clock.monotonic_ns
        @ns -= now
        @open += 1
        self
      end

      # Does nothing after the unit's end, which has counted the connection.
      def give_back
        return if @open.zero?
        now = @clock.monotonic_ns
        @ns += now
        @open -= 1
      end

      def so_far
        now = @clock.monotonic_ns
        @ns + @open * now
      end

      # Ends with the unit and gives the ns of all connections together.
      def end
        @ns = so_far if @open.positive?
        @open = 0
        @ns
      end
    end
  end
end
