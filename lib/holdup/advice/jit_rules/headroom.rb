# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # How much memory a machine has left.
      module Headroom
        module_function

        # @param machine [Analysis::Machine, nil]
        # @return [Boolean] whether it is nearly full, as far as anybody knows
        def full?(machine)
          machine&.memory_share.to_f >= MemoryHeadroom::FULL
        end

        # @param machine [Analysis::Machine, nil]
        # @param more_bytes [Integer]
        # @return [Boolean] whether so much more would fit, or nobody knows
        def room?(machine, more_bytes)
          machine&.memory_share.nil? || machine.memory_bytes + more_bytes < MemoryHeadroom::FULL * machine.memory_limit_bytes
        end
      end
    end
  end
end
