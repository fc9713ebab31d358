# frozen_string_literal: true

require_relative "histogram/buckets"
require_relative "jit_memory"
require_relative "quantities"
require_relative "series"
require_relative "unit_numbers"

module Holdup
  # The figures that other systems get, with their names: of a whole host from the collector's exporters, of
  # one process through Yabeda.
  module ExportedFigures
    # Kinds of series that are exported, and their label.
    KINDS = {request: "request", job: "job", overflow: "overflow", account: "thread"}.freeze
    # State of a thread => where its sum is. They add up to the elapsed time of requests and jobs. Of other
    # threads the CPU time is unknown, so their time with the GVL is "running".
    STATES = UnitNumbers::STATES
    # Histograms of requests and jobs.
    HISTOGRAMS = {
      ruby_gvl_duration_seconds: [:wall, "Time that a request or job took."],
      ruby_gvl_queued_seconds: [:queued, "Time until a thread took the request or job."],
      ruby_gvl_stalled_seconds: [:stalled, "Time for which a request or job waited for the GVL."]
    }.freeze
    # Counters of requests, jobs and other threads.
    COUNTERS = {
      ruby_gvl_gc_seconds_total: [:gc_ns, "Garbage collection while holding the GVL."],
      ruby_gvl_caused_seconds_total: [:caused_ns, "Time that others waited for the GVL while this held it."],
      ruby_gvl_acquisitions_total: [:acquisitions, "How often the GVL was taken."],
      ruby_gvl_preemptions_total: [:preemptions, "How often the GVL was lost to the time slice."]
    }.freeze
    # Counters of requests and jobs.
    UNIT_COUNTERS = {
      ruby_gvl_connection_wait_seconds_total: [:pool_wait_ns, "Time of waiting for a database connection."],
      ruby_gvl_connection_held_seconds_total: [:pool_held_ns, "Time of keeping database connections."]
    }.freeze
    # What else has a sentence of its own.
    HELP = {
      ruby_gvl_time_seconds_total: "Time of requests, jobs and other threads by state: cpu, starved and " \
        "running hold the GVL, stalled waits for it, the others need none.",
      ruby_gvl_nested_seconds_total: "The part of ruby_gvl_time_seconds_total that is in it twice: a " \
        "request or job ran inside another.",
      ruby_gvl_errors_total: "Requests and jobs that failed.",
      ruby_gvl_handoff_seconds_total: "Time that threads waited for the GVL while none held it."
    }.freeze

    # Bounds of each histogram's buckets as powers of two in ns: 1 ms to 18 min, and 262 us to 2.1 s. Each is
    # a bound of Histogram::Buckets too, so no bucket is divided. Few: Prometheus's text has a line for each.
    ELAPSED = [20, *22..34, 36, 38, 40].freeze
    POWERS = {wall: ELAPSED, queued: ELAPSED, stalled: [*18..31].freeze}.freeze

    # A figure of a process. `key`: name of a gauge, or of a figure of JitMemory (`of_memory`); `scale`:
    # divisor for the exported unit; `jit`: only processes with this JIT have it
    ProcessFigure = Data.define(:key, :help, :scale, :jit, :of_memory) do
      def initialize(key:, help:, scale: 1, jit: nil, of_memory: false) = super

      # @param sample [Hash{Symbol => Object}] gauges of a process, and :"jit.kind"
      # @return [Integer, nil] nil when unknown
      def of(sample)
        return unless jit.nil? || sample[:"jit.kind"] == jit
        of_memory ? JitMemory.of(sample).public_send(key) : sample[key]
      end
    end

    YJIT = "yjit"

    PROCESS_GAUGES = {
      ruby_memory_rss_bytes: ProcessFigure.new(key: :rss_bytes,
        help: "Resident memory of the processes. Shared pages count in each."),
      ruby_memory_pss_bytes: ProcessFigure.new(key: :pss_bytes,
        help: "Memory of the processes, with shared pages divided among them."),
      ruby_gvl_waiting_threads: ProcessFigure.new(key: :waiting_threads,
        help: "Threads that waited for the GVL at the last sample."),
      ruby_gvl_busy_threads: ProcessFigure.new(key: :busy_threads,
        help: "Threads that had a request or job at the last sample."),
      ruby_gvl_max_threads: ProcessFigure.new(key: :max_threads,
        help: "Threads that may take requests or jobs."),
      ruby_gvl_backlog: ProcessFigure.new(key: :backlog,
        help: "Requests and jobs that waited for a thread at the last sample."),
      ruby_yjit_code_bytes: ProcessFigure.new(key: :code_bytes, help: "Machine code of YJIT.", jit: YJIT,
        of_memory: true),
      ruby_yjit_metadata_bytes: ProcessFigure.new(key: :metadata_bytes, help: "YJIT's metadata.", jit: YJIT,
        of_memory: true),
      ruby_yjit_memory_bytes: ProcessFigure.new(key: :memory_bytes, jit: YJIT, of_memory: true,
        help: "What the processes grow by with YJIT: 1.3 times its code and metadata."),
      ruby_yjit_enabled_processes: ProcessFigure.new(key: :jit_enabled,
        help: "Processes with YJIT on.", jit: YJIT),
      ruby_yjit_saturated_processes: ProcessFigure.new(key: :jit_saturated,
        help: "Processes whose memory for YJIT is full.", jit: YJIT)
    }.freeze
    PROCESS_COUNTERS = {
      ruby_cpu_seconds_total: ProcessFigure.new(key: :cpu_ns, help: "CPU time of the processes.", scale: NS),
      ruby_gc_collections_total: ProcessFigure.new(key: :gc_count, help: "Garbage collections."),
      ruby_gc_seconds_total: ProcessFigure.new(key: :gc_time_ns, help: "Time of garbage collection.",
        scale: NS),
      ruby_gc_allocated_objects_total: ProcessFigure.new(key: :allocated_objects,
        help: "Allocated objects."),
      ruby_yjit_compile_seconds_total: ProcessFigure.new(key: :jit_compile_ns,
        help: "Time in which YJIT compiled.", scale: NS, jit: YJIT),
      ruby_yjit_compiled_iseqs_total: ProcessFigure.new(key: :jit_compiled_iseqs,
        help: "Methods and blocks that YJIT compiled.", jit: YJIT),
      ruby_yjit_invalidations_total: ProcessFigure.new(key: :jit_invalidations,
        help: "Compiled code that YJIT threw away.", jit: YJIT)
    }.freeze

    module_function

    # Counters with the unit in their names are seconds, kept in ns.
    # @return [Integer] divisor of the kept sum
    def scale(name) = name.end_with?("_seconds_total") ? NS : 1

    # @param sums [Hash{Symbol => Integer}] of a series, with running and stalled
    # @return [Hash{Symbol => Float}] seconds by state
    def by_state(sums)
      seconds = STATES.to_h { |state, key| [state, sums[key].fdiv(NS)] }
      running_ns = sums[:running] - sums.values_at(*UnitNumbers::RUNNING_STATES).sum
      running_ns.positive? ? {**seconds, running: running_ns.fdiv(NS)} : seconds
    end
  end
end
