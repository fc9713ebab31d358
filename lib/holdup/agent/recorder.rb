# frozen_string_literal: true

require_relative "guard"
require_relative "probe"
require_relative "recorder/open_unit"

module Holdup
  # Starts and ends units through the probe. Instrumentation calls this, never the probe (but see call_edges).
  #
  #   recorder.measure("ReportJob", kind: :job, queue: "low") { report }
  class Recorder
    attr_reader :guard

    def initialize(probe:, guard:)
      @probe = probe
      @guard = guard
    end

    def on? = @probe.enabled?

    # @return [Integer] handle of the new unit; 0 when nothing is measured
    def enter(pool = nil) = @probe.enter(pool)

    # Ends a unit and records it.
    # @param queued_ns [Integer, nil] wait until a thread took it
    # @param pool [String, nil] of the threads that ran it
    # @param priority [String, nil] of the job; few different ones
    # @param trace [String, nil] 32 hexadecimal digits; anything else is ignored
    # @param path [String, nil] to keep as an example of its series
    def leave(
      handle, kind:, name:, queue:, queued_ns:, error:, pool: nil, priority: nil, trace: nil, path: nil
    )
      number = Probe::KINDS.fetch(kind)
      @probe.record(handle, number, name, queue, queued_ns, error, pool, priority, trace, path)
      nil
    end

    # Called for each unit when it begins, before it ends and after. It must guard itself.
    # @return [#opened, #closing, #closed, nil]
    attr_accessor :watcher

    # Ends a unit and forgets it.
    def cancel(handle) = @probe.cancel(handle)

    # Adds time for which an open unit waited for a connection pool or held connections.
    # @param which [Symbol] a key of Probe::CHARGES
    def charge(handle, which, ns)
      @probe.charge(handle, Probe::CHARGES.fetch(which), ns)
    end

    # @param name [String] what is called, and which of them: "sql primary"
    # @return [Integer] for call_edges
    def call_kind(name) = @probe.call_kind(name)

    # The probe itself, because a request may have hundreds of calls: `begin_call`, when a call of the open
    # unit to another system begins on this thread (calls inside it are a part of it); then
    # `end_call(kind, error)` with a kind of call_kind, or nil: it was no call.
    # @return [#begin_call, #end_call]
    def call_edges = @probe

    def stalled_ns(handle) = @probe.stalled(handle)

    # Records from now on which holders units wait for.
    def watch_holders = @probe.watch_holders(true)

    # @return [Array<Array(Integer, Integer), Array(String, Integer)>, nil] holders that the open unit waited
    #   for: a unit's handle or a thread's account, and ns; at most eight, each at least 1 ms; nil: unknown
    def holders(handle) = @probe.holders(handle)

    # Counts a queue time clamped to zero, because the request claims to come from the future.
    def count_clamped
      @probe.count(Probe::COUNTERS.fetch(:queued_clamped))
    end

    # Measures a block as one unit, also when it raises, throws or is killed.
    # @return [Object] the block's value; its exception goes on untouched
    # @raise [ArgumentError] when `kind` is another one
    def measure(name, kind: :job, queue: nil)
      raise ArgumentError, "kind must be :request or :job, got #{kind.inspect}" unless Probe::KINDS.key?(kind)
      unit = @guard.call(:measure) { OpenUnit.new(self, kind, name, queue).open } if on?
      earlier = $!
      yield
    ensure
      @guard.call(:measure) { unit.close(error: failed?(earlier)) } if unit
    end

    # Whether a block has failed: with an exception of its own, except a successful `exit`.
    # @param earlier [Exception, nil] `$!` before the block
    def failed?(earlier)
      !$!.equal?(earlier) && !($!.is_a?(SystemExit) && $!.success?)
    end
  end
end
