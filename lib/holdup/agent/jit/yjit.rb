# frozen_string_literal: true

require_relative "memory_limit"
require_relative "snapshot"

module Holdup
  module Jit
    # RubyVM::YJIT of Ruby 3.3, 3.4 and 4.0. Which key is in which version: docs/yjit.md.
    class Yjit
      MIB = 1 << 20
      CAUSE = /\Ainvalidate_/
      # Beyond so many loaded methods and blocks the default threshold is the higher one. An explicit 30
      # counts as default.
      MANY_ISEQS = 40_000
      THRESHOLD = 30
      THRESHOLD_OF_MANY = 120

      # @param api [#enabled?, #enable, #runtime_stats] RubyVM::YJIT
      # @param version [RubyDefaults]
      # @param options [CommandLine]
      # @param given [Hash{Symbol => Integer}, nil] what was passed to `enable`: mem_size (MiB),
      #   call_threshold; nil when only who called it knows
      def initialize(api:, version:, options:, given: {})
        @api = api
        @version = version
        @options = options
        @given = given
      end

      # @return [Snapshot] off unless it is enabled
      def state
        stats = @api.enabled? && @api.runtime_stats
        return Snapshot.new unless stats
        Snapshot.new(kind: :yjit, **sizes(stats), **work(stats), interpreted_instructions: interpreted(stats),
          invalidations: invalidations(stats), ratio_in_yjit: ratio(stats), active_ns: stats[:yjit_active_ns], compiled_instructions: compiled(stats))
      end

      # @return [MemoryLimit, nil] nil when it is not known
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
        {code_bytes: stats[:code_region_size], metadata_bytes: stats[:yjit_alloc_size], limit:,
         compiled_iseqs: stats[:compiled_iseq_count], live_iseqs: stats[:live_iseq_count], call_threshold: threshold(stats[:live_iseq_count])}
      end

      def work(stats)
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

      # From 4.0 on only builds for statistics count them; others may have the key all the same.
      def interpreted(stats)
        stats[:vm_insns_count] if @version.counts_interpreted? || stats[:ratio_in_yjit]
      end

      def invalidations(stats)
        causes = stats.select { |key, _| CAUSE.match?(key) }
        causes.transform_keys { |key| key.to_s.sub(CAUSE, "").to_sym } unless causes.empty?
      end

      # Those that left the compiled path are run again by the interpreter, which counts them too.
      def compiled(stats)
        stats[:yjit_insns_count] - stats[:side_exit_count].to_i if stats[:yjit_insns_count]
      end

      # It counts from the start of the process, so it is true only when YJIT has been on since then.
      def ratio(stats)
        stats[:ratio_in_yjit] if @options.at_boot
      end
    end
  end
end
