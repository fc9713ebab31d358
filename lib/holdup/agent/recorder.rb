# frozen_string_literal: true

require_relative "guard"
require_relative "probe"
require_relative "recorder/holder_names"
require_relative "unit_figures"

module Holdup
  # Starts and ends units through the probe. Instrumentation calls this, never the probe (but see call_edges).
  # What each request passes through has few methods of few parameters: without a JIT each takes some 350
  # instructions.
  #
  #   recorder.measure("ReportJob", kind: :job, queue: "low") { report }
  #
  # C has `probe`, for open units, and `watcher`, which is called for each unit when it begins, before it ends
  # and after; a unit keeps the one that it began with. A watcher (#opened, #closing, #closed) must guard
  # itself.
  class Recorder < Probe::RecorderFields
    attr_reader :guard

    def initialize(probe:, guard:)
      super(probe)
      @probe = probe
      @guard = guard
    end

    # Adds time for which an open unit waited for a connection pool or held connections.
    # @param which [Symbol] a key of Probe::CHARGES
    def charge(handle, which, ns)
      @probe.charge(handle, Probe::CHARGES.fetch(which), ns)
    end

    # @param name [String] what is called, and which of them: "sql primary"
    # @return [Integer] for call_edges
    def call_kind(name) = @probe.call_kind(name)

    # The probe itself, because a request may have hundreds of calls: `begin_call(kind = nil)`, when a call of
    # the open unit to another system begins on this thread (calls inside it are a part of it), with its kind
    # if that is known by then; if that gives true, `end_call(kind, error)` with a kind of call_kind, or nil:
    # it was no call. The same for the transactions
    # that the unit opens: `begin_transaction(kind)`, with the kind of the queries in it, and
    # `end_transaction(kind, error)`, which does nothing without the first, and forgets it with nil.
    # @return [#begin_call, #end_call, #begin_transaction, #end_transaction]
    def call_edges = @probe

    # Calls that are queries, which a unit may repeat: `begin_query(pool)` as begin_call, and
    # `end_query(pool, connection, sql, answered)`, or Active Record's notifications.
    # @param kind_of [#call] connection => a kind of call_kind, or nil; must not raise; asked again after GC
    # @return [#begin_query, #end_query, #start, #finish]
    def query_events(kind_of) = @probe.query_events(kind_of)

    def stalled_ns(handle) = @probe.stalled(handle)

    def idle_ns(handle) = @probe.idle(handle)

    # @return [Array<Array(Integer, Integer), Array(String, Integer)>, nil] holders that the open unit waited
    #   for: a unit's handle or a thread's account, and ns; nil: unknown
    def holders(handle) = @probe.holders(handle)

    # @return [Array<Array(Integer, Integer), Array(String, Integer)>, nil] likewise, who ended its waits for
    #   locks
    def lock_ends(handle) = @probe.lock_ends(handle)

    # @return [Array<Integer>, nil] the numbers of the open unit so far, in the order of a Measurement; nil:
    #   unknown, as on another thread
    def figures(handle) = @probe.figures(handle)

    # @return [Array<Array(Object, Integer)>, nil] holders of the GVL that the open unit waited for, and ns: a
    #   name, nil without one, or the handle of a unit that still runs
    def waits_so_far(handle) = @probe.waits_so_far(handle)

    # @return [Array<Array(String, Integer, Integer, Integer)>, nil] kinds of calls that the open unit made,
    #   their number, ns until they returned and ns until the other system had answered
    def calls_so_far(handle) = @probe.calls_so_far(handle)

    # Names of units that still run are kept from the first question on, for units that begin later.
    # @param handle [Integer] of a unit that was open
    # @return [String, nil] its name as far as it is known
    def holder_name(handle)
      self.watcher ||= HolderWatch.new(@guard)
      watcher.holder_name(handle)
    end

    # Counts a queue time clamped to zero, because the request claims to come from the future.
    def count_clamped
      @probe.count(Probe::COUNTERS.fetch(:queued_clamped))
    end

    # Measures a block as one unit, also when it raises, throws or is killed.
    # @return [Object] the block's value; its exception goes on untouched
    # @raise [ArgumentError] when `kind` is another one
    def measure(name, kind: :job, queue: nil)
      number = Probe::KINDS[kind]
      raise ArgumentError, "kind must be :request or :job, got #{kind.inspect}" unless number
      unit = begin_unit(number, name, queue) if @probe.enabled?
      earlier = $!
      failed = true
      value = yield
      failed = false
      value
    ensure
      end_unit(unit, failed && failed?(earlier)) if unit
    end

    # Whether a block has failed: with an exception of its own, except a successful `exit`.
    # @param earlier [Exception, nil] `$!` before the block
    def failed?(earlier)
      !$!.equal?(earlier) && !($!.is_a?(SystemExit) && $!.success?)
    end

    private

    def begin_unit(kind, name, queue)
      OpenUnit.new(self, kind, name, queue).open
    rescue *Guard::FAILURES => error
      @guard.failed(:measure, error)
    end

    def end_unit(unit, error)
      unit.close(error)
    rescue *Guard::FAILURES => error
      @guard.failed(:measure, error)
    end

    # `config.on_finish` has raised one of Guard::FAILURES (open_unit.c).
    def on_finish_failed(error)
      @guard.failed(:on_finish, error)
    end
  end

  class Recorder
    # One open unit. Fiber storage holds the current one; fibers and threads inherit it, so code in a fiber of
    # the request's own (an Enumerator, an async task) can still name the unit.
    #
    # Its fields and their accessors, `initialize`, `here?`, `open`, `close` and `cancel` are in C
    # (ext/holdup/unit/open_unit.c); without the extension no unit begins.
    class OpenUnit < Probe::UnitFields
      KEY = :holdup_unit

      # The innermost open unit here.
      def self.current
        unit = Fiber[KEY]
        unit unless unit.nil? || unit.closed?
      end

      if Probe.supported?
        # Set by the application; stronger than any name we find.
        public :name, :name=

        # Its trace: 32 hexadecimal digits.
        public :trace, :trace=

        # Whether its tracer's span has its attributes.
        public :explained, :explained=

        # Unique; 0 where nothing is measured.
        public :handle

        # A value of Probe::KINDS.
        public :kind

        public :outer

        # For how long it waited for its thread; nil: unknown.
        public :queued_ns

        public :closed
        alias_method :closed?, :closed
      end

      # Connections that this unit holds; charged when the unit ends.
      def holding(clock)
        self.held ||= ConnectionHold.new(clock)
      end

      # What it took so far, and what it will have taken.
      # @return [UnitFigures, nil] nil where nothing is measured
      def measured
        self.figures ||= UnitFigures.new(self, recorder) unless handle.zero?
      end

      # @param which [Symbol] a key of Probe::CHARGES
      def charge(which, ns)
        recorder.charge(handle, which, ns)
      end

      def stalled_ns = recorder.stalled_ns(handle)

      # For which it has been idle so far; nil when unknown.
      def idle_ns = recorder.idle_ns(handle)

      # Holders that it waited for so far (Recorder#holders).
      def holders = recorder.holders(handle)

      # Who ended its waits for locks so far (Recorder#lock_ends).
      def lock_ends = recorder.lock_ends(handle)

      # Its name if known by now; any thread may ask.
      def name_so_far = name
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
