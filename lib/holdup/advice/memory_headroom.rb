# frozen_string_literal: true

module Holdup
  module Advice
    # Memory that is nearly full: before threads or processes, that decides what is possible, and the kernel
    # kills who asks next.
    module MemoryHeadroom
      FULL = 0.85

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        used = situation.machine&.memory_bytes
        limit = limit(situation)
        return unless used && limit && used >= FULL * limit
        share = used.fdiv(limit)
        Finding.new(rule: :memory_headroom, remedy: :machine, weight: [share, 1.0].min - FULL,
          facts: {used_share: share, memory_bytes: used, limit_bytes: limit, query: "report"})
      end

      # What the user says (--memory) counts more than what a sample says.
      def limit(situation)
        (situation.recommendation&.limits&.memory_limit_bytes || situation.machine&.memory_limit_bytes)&.nonzero?
      end
      private_class_method :limit
    end
  end
end
