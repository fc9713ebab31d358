# frozen_string_literal: true

module Holdup
  module Jit
    # What one look at the JIT of this process told, in the same words for every Ruby and JIT. nil is what
    # that version does not have. Sizes in bytes, times in nanoseconds; all but the sizes count from the start
    # of the process (a fork goes on from its parent's).
    #
    # - `kind`: :yjit, :zjit or :off
    # - `metadata_bytes`: what the compiler keeps beside the code, usually two to three times as much
    # - `live_iseqs`: all methods and blocks that are loaded, compiled or not; this is what moves the call
    #   threshold
    # - `limit` and `call_threshold` (the one that applies now): also nil where somebody else has passed its
    #   own to `enable`
    # - `entries`: methods and blocks whose entry was compiled, again ones too: where instructions are not
    #   counted these tell of the warm-up
    # - `failures`: of compiling; `invalidations`: {Symbol => Integer} by cause; `code_gcs`: collections of
    #   compiled code
    # - `active_ns`: since it was enabled; `ratio_in_yjit`: percentage of instructions that ran compiled
    # - `compiled_instructions`: those that ran compiled, with deep statistics (`--yjit-stats`) only
    Snapshot = Data.define(:kind, :code_bytes, :metadata_bytes, :limit, :compiled_iseqs, :live_iseqs, :call_threshold, :compile_ns,
      :failures, :invalidations, :code_gcs, :interpreted_instructions, :ratio_in_yjit, :active_ns, :compiled_instructions, :entries) do
      def initialize(kind: :off, **known)
        super(**self.class.members.to_h { |name| [name, nil] }, kind:, **known)
      end

      # @return [Boolean]
      def enabled? = kind != :off

      # @return [Boolean] whether it keeps deep statistics, which make compiled code a third slower
      def deep? = !compiled_instructions.nil?

      # @return [Integer, nil] code and metadata
      def total_bytes
        code_bytes + metadata_bytes if code_bytes && metadata_bytes
      end

      # @return [Integer, nil] what it adds to the memory of the process: the allocator's share comes on top
      #   of what is accounted
      def real_bytes
        total_bytes && (total_bytes * Jit::REAL_MEMORY).round
      end

      # @return [Boolean, nil] whether the limit is reached, so that nothing more is compiled; nil when nobody
      #   knows
      def saturated?
        return unless limit && code_bytes
        return code_bytes >= limit.bytes if limit.of == :code
        total_bytes && total_bytes >= limit.bytes * Jit::FULL
      end

      # @return [Integer, nil] pieces of code that were thrown away because a constant or a method was defined
      def redefined
        invalidations.values_at(:constant_state_bump, :method_lookup).compact.sum if invalidations
      end

      # @return [Integer, nil] pieces of code that were thrown away, for whatever cause
      def invalidated = invalidations&.values&.sum
    end
  end
end
