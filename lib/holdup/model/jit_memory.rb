# frozen_string_literal: true

module Holdup
  # Memory that a JIT takes in a process, by the same names in reports, pages, advice, lines of statistics and
  # exporters; nil while unknown.
  #
  # - `code_bytes`: machine code; `metadata_bytes`: the compiler's own data
  # - `total_bytes`: both, which is what a limit counts (on Ruby 3.3 it counts the code)
  # - `memory_bytes`: what the process grows by, with the allocator's overhead
  JitMemory = Data.define(:code_bytes, :metadata_bytes) do
    # @param gauges [Hash{Symbol => Integer}, #[]] of a process or of its sample
    def self.of(gauges)
      new(code_bytes: gauges[:jit_code_bytes], metadata_bytes: gauges[:jit_alloc_bytes])
    end

    # @param bytes [Numeric] of code and metadata
    # @return [Numeric] what a process grows by
    def self.growth(bytes) = bytes * self::GROWTH

    def total_bytes
      code_bytes + metadata_bytes if code_bytes && metadata_bytes
    end

    def memory_bytes
      total_bytes && self.class.growth(total_bytes).round
    end
  end

  # Growth of resident memory for each byte that the compiler accounts for (measured: 1.25 to 1.3).
  JitMemory::GROWTH = 1.3
end
