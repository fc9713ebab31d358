# frozen_string_literal: true

require_relative "../../model/jit_memory"
require_relative "../../model/quantities"

module Holdup
  module Jit
    # Share of the limit on code and metadata from which on nothing more is compiled.
    FULL = 0.97
    # Code and metadata together, for each byte of code (measured: 3.1 to 3.6).
    TOTAL_TO_CODE = 3.2

    # Memory that a JIT may use; once it is full, nothing more is compiled.
    #
    # - `bytes`; `of`: :code (machine code alone) or :total (code and metadata)
    # - `source`: "enable", "RUBYOPT", "command line", "default", or "assumed default" where a server has
    #   overwritten the command line with its title
    MemoryLimit = Data.define(:bytes, :of, :source)

    # The JIT at one moment, in the same words for every Ruby and JIT; nil where that version has no such
    # figure. Sizes in bytes, times in nanoseconds. Counters start with the process; a fork continues its
    # parent's.
    #
    # - `kind`: :yjit, :zjit or :off
    # - `metadata_bytes`: the compiler's own data, usually two to three times the code
    # - `live_iseqs`: all loaded methods and blocks, compiled or not; many raise the call threshold
    # - `limit` and `call_threshold` (that applies now): also nil where other code passed its own to `enable`
    # - `entries`: compiled entries of methods and blocks, with recompiled ones; they show the warm-up where
    #   instructions are not counted
    # - `failures`: of compiling; `invalidations`: {Symbol => Integer} by cause; `code_gcs`: of compiled code
    # - `active_ns`: since enabled; `ratio_in_yjit`: percentage of instructions that ran compiled
    # - `compiled_instructions`: those that ran compiled; only with deep statistics (`--yjit-stats`)
    Snapshot = Data.define(
      :kind, :code_bytes, :metadata_bytes, :limit, :compiled_iseqs, :live_iseqs, :call_threshold, :compile_ns,
      :failures, :invalidations, :code_gcs, :interpreted_instructions, :ratio_in_yjit, :active_ns,
      :compiled_instructions, :entries
    ) do
      def initialize(kind: :off, **known)
        super(**self.class.members.to_h { |name| [name, nil] }, kind:, **known)
      end

      def enabled? = kind != :off

      # Whether it keeps deep statistics, which make compiled code a third slower.
      def deep? = !compiled_instructions.nil?

      # @return [JitMemory]
      def memory = JitMemory.new(code_bytes:, metadata_bytes:)

      # Code and metadata.
      def total_bytes = memory.total_bytes

      # Growth of the process's memory, with the allocator's overhead.
      def real_bytes = memory.memory_bytes

      # @return [Boolean, nil] whether the limit stops compiling; nil: unknown
      def saturated?
        return unless limit && code_bytes
        return code_bytes >= limit.bytes if limit.of == :code
        total_bytes && total_bytes >= limit.bytes * Jit::FULL
      end

      # Pieces of code thrown away because a constant or a method was defined.
      def redefined
        invalidations.values_at(:constant_state_bump, :method_lookup).compact.sum if invalidations
      end

      # Pieces of code thrown away, for any cause.
      def invalidated = invalidations&.values&.sum
    end

    # RubyVM::YJIT of Ruby 3.3, 3.4 and 4.0. Which key is in which version: docs/guide/yjit.md.
    class Yjit
      CAUSE = /\Ainvalidate_/
      # The higher default threshold applies beyond so many loaded methods and blocks. An explicit 30 counts
      # as default.
      MANY_ISEQS = 40_000
      THRESHOLD = 30
      THRESHOLD_OF_MANY = 120

      # @param given [Hash{Symbol => Integer}, nil] arguments of `enable`: mem_size (MiB), call_threshold;
      #   nil: unknown
      def initialize(api:, version:, options:, given: {})
        @api = api
        @version = version
        @options = options
        @given = given
      end

      def state
        stats = @api.enabled? && @api.runtime_stats
        return Snapshot.new unless stats
        Snapshot.new(
          kind: :yjit,
          **sizes(stats),
          **compiler_work(stats),
          interpreted_instructions: interpreted(stats),
          invalidations: invalidations(stats),
          ratio_in_yjit: ratio(stats),
          active_ns: stats[:yjit_active_ns],
          compiled_instructions: compiled(stats)
        )
      end

      def limit
        return unless @given
        return code_limit unless @version.limits_total?
        if @given[:mem_size]
          return MemoryLimit.new(bytes: @given[:mem_size] * MIB, of: :total, source: "enable")
        end
        @options.number("--yjit-exec-mem-size") ? code_limit : read_limit("--yjit-mem-size", :total)
      end

      private

      def sizes(stats)
        {
          code_bytes: stats[:code_region_size],
          metadata_bytes: stats[:yjit_alloc_size],
          limit:,
          compiled_iseqs: stats[:compiled_iseq_count],
          live_iseqs: stats[:live_iseq_count],
          call_threshold: threshold(stats[:live_iseq_count])
        }
      end

      def compiler_work(stats)
        {entries: stats[:compiled_iseq_entry], compile_ns: stats[:compile_time_ns],
         failures: stats[:compilation_failure], code_gcs: stats[:code_gc_count]}
      end

      def code_limit
        read_limit("--yjit-exec-mem-size", :code)
      end

      def read_limit(option, of)
        size = @options.number(option)
        MemoryLimit.new(bytes: (size || @version.default_size) * MIB, of:, source: @options.source(option))
      end

      def threshold(live)
        return unless @given
        set = @given[:call_threshold] || @options.number("--yjit-call-threshold") || THRESHOLD
        return set unless set == THRESHOLD
        (live.to_i > MANY_ISEQS) ? THRESHOLD_OF_MANY : THRESHOLD
      end

      # Ruby 4.0 and later count them only in builds for statistics; other builds may have the key too.
      def interpreted(stats)
        stats[:vm_insns_count] if @version.counts_interpreted? || stats[:ratio_in_yjit]
      end

      def invalidations(stats)
        causes = stats.select { |key, _| CAUSE.match?(key) }
        causes.transform_keys { |key| key.to_s.sub(CAUSE, "").to_sym } unless causes.empty?
      end

      # The interpreter runs instructions that leave the compiled path again, and counts them too.
      def compiled(stats)
        stats[:yjit_insns_count] - stats[:side_exit_count].to_i if stats[:yjit_insns_count]
      end

      # Counted from the process's start, so it is correct only when YJIT has been on since then.
      def ratio(stats)
        stats[:ratio_in_yjit] if @options.at_boot
      end
    end

    # RubyVM::ZJIT of Ruby 4.0: fewer figures, with other names (zjit/src/stats.rs). Only builds with
    # `--zjit-stats` count instructions.
    class Zjit
      DEFAULT_SIZE = 128
      THRESHOLD = 30

      def initialize(api:, options:)
        @api = api
        @options = options
      end

      def state
        stats = @api.enabled? && @api.stats
        return Snapshot.new unless stats
        Snapshot.new(
          kind: :zjit,
          code_bytes: stats[:code_region_bytes],
          metadata_bytes: stats[:zjit_alloc_bytes],
          limit:,
          compiled_iseqs: stats[:compiled_iseq_count],
          entries: stats[:compiled_iseq_count],
          compile_ns: stats[:compile_time_ns],
          failures: stats[:failed_iseq_count],
          interpreted_instructions: stats[:vm_insn_count],
          compiled_instructions: (stats[:zjit_insn_count] if stats[:vm_insn_count]),
          call_threshold: @options.number("--zjit-call-threshold") || THRESHOLD
        )
      end

      private

      def limit
        size = @options.number("--zjit-mem-size") || DEFAULT_SIZE
        MemoryLimit.new(bytes: size * MIB, of: :total, source: @options.source("--zjit-mem-size"))
      end
    end
  end
end
