# frozen_string_literal: true

require_relative "../finding"
require_relative "headroom"
require_relative "options"

module Holdup
  module Advice
    module Jit
      # Y04: the limit is reached, so what is not compiled yet stays interpreted. A quarter more, where there is memory for it.
      module Saturated
        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          full = situation.summary.jits.on.select { |life| life.full? && life.facts.limit_bytes }
          life = full.max_by { |one| one.facts.total_bytes.to_i }
          return unless life
          more_bytes = life.facts.larger_by_bytes * full.size
          found = {remedy: :setting, weight: 0.05, facts: facts(life.facts, full, more_bytes)}
          return Finding.new(rule: :jit_saturated_no_room, **found) unless Headroom.room?(situation.machine, more_bytes)
          Finding.new(rule: :jit_saturated, change: Options.with(life, life.facts.size_option, life.facts.larger_mib), **found)
        end

        def facts(jit, full, more_bytes)
          {processes: full.size, limit_bytes: jit.limit_bytes, from: jit.limit_from.to_s, code_bytes: jit.code_bytes, metadata_bytes: jit.metadata_bytes,
           failures: jit.failures, more_bytes:, query: "report"}
        end
      end
    end
  end
end
