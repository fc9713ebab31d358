# frozen_string_literal: true

require_relative "../memory_headroom"

module Holdup
  module Advice
    module Jit
      # How much memory a machine has left.
      module Headroom
        module_function

        # @param machine [Analysis::Machine, nil]
        # @return [Float, nil] of its limit; nil where nobody knows
        def used_share(machine)
          machine.memory_bytes.fdiv(machine.memory_limit_bytes) if machine&.memory_bytes && machine.memory_limit_bytes&.positive?
        end

        # @return [Boolean] whether it is nearly full, as far as anybody knows
        def full?(machine) = used_share(machine).to_f >= MemoryHeadroom::FULL

        # @param more_bytes [Integer]
        # @return [Boolean] whether so much more would fit, or nobody knows
        def room?(machine, more_bytes)
          used_share(machine).nil? || machine.memory_bytes + more_bytes < MemoryHeadroom::FULL * machine.memory_limit_bytes
        end
      end
    end
  end
end
