# frozen_string_literal: true

require_relative "memory_limit"
require_relative "snapshot"

module Holdup
  module Jit
    # RubyVM::ZJIT of Ruby 4.0: the same things by other names, and fewer of them. Its source
    # (zjit/src/stats.rs) says which are there always; instructions are counted with `--zjit-stats` in builds
    # for that alone.
    class Zjit
      MIB = 1 << 20
      DEFAULT_SIZE = 128
      THRESHOLD = 30

      # @param api [#enabled?, #stats] RubyVM::ZJIT
      # @param options [CommandLine]
      def initialize(api:, options:)
        @api = api
        @options = options
      end

      # @return [Snapshot] off unless it is enabled
      def state
        stats = @api.enabled? && @api.stats
        return Snapshot.new unless stats
        Snapshot.new(kind: :zjit, code_bytes: stats[:code_region_bytes], metadata_bytes: stats[:zjit_alloc_bytes], limit:,
          compiled_iseqs: stats[:compiled_iseq_count], entries: stats[:compiled_iseq_count], compile_ns: stats[:compile_time_ns], failures: stats[:failed_iseq_count],
          interpreted_instructions: stats[:vm_insn_count], compiled_instructions: (if stats[:vm_insn_count]
                                                                                     stats[:zjit_insn_count]
                                                                                   end),
          call_threshold: @options.number("--zjit-call-threshold") || THRESHOLD)
      end

      private

      def limit
        MemoryLimit.new(bytes: (@options.number("--zjit-mem-size") || DEFAULT_SIZE) * MIB, of: :total,
          source: @options.source("--zjit-mem-size"))
      end
    end
  end
end
