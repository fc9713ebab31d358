# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y18: memory grows for hours and the JIT's does not: it is something else, most often fragmentation.
      module MemoryGrowsElsewhere
        LONG_S = 2 * 3600
        HOUR_S = 3600
        # Growth in an hour that is worth looking at, and the JIT's part in it that clears the JIT.
        SHARE = 0.05
        BYTES = 20 * (1 << 20)
        PART = 0.1

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          life = situation.summary.jits.on.find { |one| grows?(one) }
          return unless life
          found = {facts: {name: life.name.to_s, grown_bytes: an_hour(life, :rss_bytes).round,
                           jit_bytes: jit(life).round, rss_bytes: life.rss_bytes, query: "report"}}
          return Finding.new(rule: :jit_memory_leak, **found) if life["malloc"] || life["malloc_arena_max"]
          Finding.new(rule: :jit_memory_elsewhere, remedy: :setting,
            change: ProposedChange.new(new: "MALLOC_ARENA_MAX=2"), **found)
        end

        def grows?(life)
          return false unless life.age_s >= LONG_S && life.rss_bytes && older(life)
          grown = an_hour(life, :rss_bytes)
          grown >= BYTES && grown >= SHARE * life.rss_bytes && jit(life) <= PART * grown
        end

        # The later half of what is known of it: the first hours are warm-up.
        def older(life)
          life.trail.since(life.last_s - [life.age_s / 2, HOUR_S].max)
        end

        def an_hour(life, key)
          points = older(life).points(key)
          seconds = points.any? ? points.last.first - points.first.first : 0
          seconds.positive? ? (points.last.last - points.first.last) * HOUR_S.fdiv(seconds) : 0.0
        end

        def jit(life)
          Analysis::JitReport.memory(%i[jit_code_bytes jit_alloc_bytes].sum { |key| an_hour(life, key) })
        end
        private_class_method :grows?, :older, :an_hour, :jit
      end
    end
  end
end
