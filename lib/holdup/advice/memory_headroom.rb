# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Memory that is nearly full: before threads or processes, that decides what is possible, and the kernel kills who asks
    # next.
    module MemoryHeadroom
      FULL = 0.85

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        machine = situation.machine
        share = machine&.memory_share
        return if share.nil? || share < FULL
        Finding.new(rule: :memory_headroom, remedy: :machine, weight: share - FULL,
          facts: {used_share: share, memory_bytes: machine.memory_bytes, limit_bytes: machine.memory_limit_bytes, query: "report"})
      end
    end
  end
end
