# frozen_string_literal: true

module Holdup
  module Export
    # Gauges and counters of processes from their samples, which the collector takes once a minute. Processes
    # with the same labels are added up, and the counters keep what ended processes had counted.
    class ProcessFigures
      # A living process is sampled every minute; without a sample for so long it is gone.
      SILENT_S = 180
      YJIT = "yjit"

      # Kinds of processes that have a figure: with `jit`, those that run this JIT. `scale`: divisor for the
      # exported unit; `of_memory`: whether the key is a figure of JitMemory
      Figure = Data.define(:key, :help, :scale, :jit, :of_memory) do
        def initialize(key:, help:, scale: 1, jit: nil, of_memory: false) = super

        # @return [Integer, nil] nil when unknown
        def of(sample)
          return unless jit.nil? || sample[:"jit.kind"] == jit
          of_memory ? JitMemory.of(sample).public_send(key) : sample[key]
        end
      end

      GAUGES = {
        ruby_memory_rss_bytes: Figure.new(key: :rss_bytes,
          help: "Resident memory of the processes. Shared pages count in each."),
        ruby_memory_pss_bytes: Figure.new(key: :pss_bytes,
          help: "Memory of the processes, with shared pages divided among them."),
        ruby_gvl_waiting_threads: Figure.new(key: :waiting_threads,
          help: "Threads that waited for the GVL at the last sample."),
        ruby_gvl_busy_threads: Figure.new(key: :busy_threads,
          help: "Threads that had a request or job at the last sample."),
        ruby_gvl_max_threads: Figure.new(key: :max_threads, help: "Threads that may take requests or jobs."),
        ruby_gvl_backlog: Figure.new(key: :backlog,
          help: "Requests and jobs that waited for a thread at the last sample."),
        ruby_yjit_code_bytes: Figure.new(key: :code_bytes, help: "Machine code of YJIT.", jit: YJIT,
          of_memory: true),
        ruby_yjit_metadata_bytes: Figure.new(key: :metadata_bytes, help: "YJIT's metadata.", jit: YJIT,
          of_memory: true),
        ruby_yjit_memory_bytes: Figure.new(key: :memory_bytes, jit: YJIT, of_memory: true,
          help: "What the processes grow by with YJIT: 1.3 times its code and metadata."),
        ruby_yjit_enabled_processes: Figure.new(key: :jit_enabled,
          help: "Processes with YJIT on.", jit: YJIT),
        ruby_yjit_saturated_processes: Figure.new(key: :jit_saturated,
          help: "Processes whose memory for YJIT is full.", jit: YJIT)
      }.freeze
      COUNTERS = {
        ruby_cpu_seconds_total: Figure.new(key: :cpu_ns, help: "CPU time of the processes.", scale: NS),
        ruby_gc_collections_total: Figure.new(key: :gc_count, help: "Garbage collections."),
        ruby_gc_seconds_total: Figure.new(key: :gc_time_ns, help: "Time of garbage collection.", scale: NS),
        ruby_gc_allocated_objects_total: Figure.new(key: :allocated_objects, help: "Allocated objects."),
        ruby_yjit_compile_seconds_total: Figure.new(key: :jit_compile_ns,
          help: "Time in which YJIT compiled.", scale: NS, jit: YJIT),
        ruby_yjit_compiled_iseqs_total: Figure.new(key: :jit_compiled_iseqs,
          help: "Methods and blocks that YJIT compiled.", jit: YJIT),
        ruby_yjit_invalidations_total: Figure.new(key: :jit_invalidations,
          help: "Compiled code that YJIT threw away.", jit: YJIT)
      }.freeze

      # @param since_s [Integer] from when on this counts. A process that is older was counted before by
      #   another collector, so its first sample is where its counters start
      def initialize(since_s:)
        @since_s = since_s
        @last = {}
        @totals = {}
      end

      # @param labels [Hash{Symbol => String}] of the process
      def add(sample, labels)
        key = sample.values_at(:host, :pid, :start)
        count(sample, @last[key]&.first, labels)
        sample[:ended] ? @last.delete(key) : @last[key] = [sample, labels]
        @newest_s = [@newest_s.to_i, sample[:at_s]].max
        @last.delete_if { |_, (last, _)| last[:at_s] < @newest_s - SILENT_S }
      end

      # @return [Hash{Hash => Integer}] living processes by their labels
      def processes
        @last.values.map(&:last).tally
      end

      # @param figure [Figure] one of GAUGES
      # @return [Hash{Hash => Numeric}] by labels, without unknown ones
      def gauge(figure)
        @last.each_value.with_object({}) do |(sample, labels), sums|
          value = figure.of(sample)
          sums[labels] = sums.fetch(labels, 0) + value if value
        end
      end

      # @param name [Symbol] key of COUNTERS
      # @return [Hash{Hash => Numeric}] by labels
      def counter(name)
        scale = COUNTERS.fetch(name).scale
        sums = @totals.filter_map { |labels, totals| [labels, totals[name]] if totals.key?(name) }
        sums.to_h { |labels, sum| [labels, (scale == 1) ? sum : sum.fdiv(scale)] }
      end

      private

      def count(sample, before, labels)
        totals = @totals[labels] ||= {}
        COUNTERS.each do |name, figure|
          value = figure.of(sample) or next
          earlier = before ? figure.of(before) : first(sample, value)
          totals[name] = totals.fetch(name, 0) + [value - earlier.to_i, 0].max
        end
      end

      # What a process had counted before its first sample, and is left out.
      def first(sample, value)
        (sample[:since_s].to_i >= @since_s) ? 0 : value
      end
    end
  end
end
