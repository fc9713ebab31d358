# frozen_string_literal: true

module Holdup
  module JitReport
    module JitMemoryRules
      # Y04: the limit is reached, so further code stays interpreted. Advises a quarter more if memory allows
      # it. An unknown limit (a hidden command line, an application that passes its own) shows by its effect:
      # compiling still takes time and adds no code. ZJIT also fails at what it can't compile yet, which says
      # nothing about memory.
      module Saturated
        WEIGHT = 0.05
        # Sources of a limit that may not be the real one.
        UNKNOWN = "unknown"
        ASSUMED = "assumed default"

        module_function

        def call(situation)
          lives = situation.summary.jits.yjit
          full = lives.select { |life| life.facts.saturated || (life.full? && known?(life.facts)) }
          return at_limit(full, situation.machine) if full.any?
          stuck = lives.select { |life| life.full? || life.stuck? }
          at_unknown_limit(stuck) if stuck.any?
        end

        def known?(jit)
          jit.limit_bytes && jit.limit_from != ASSUMED
        end

        def at_limit(full, machine)
          life = largest(full)
          facts = facts(life, life.facts, full)
          shared = {remedy: :setting, weight: WEIGHT, facts:}
          unless JitRules::Headroom.room?(machine, facts[:more_bytes])
            return Advise::Rules::Finding.new(rule: :jit_saturated_no_room, **shared)
          end
          change = JitRules::OptionText.with(life, life.facts.size_option, life.facts.larger_mib)
          Advise::Rules::Finding.new(rule: :jit_saturated, change:, **shared)
        end

        def at_unknown_limit(stuck)
          life = largest(stuck)
          limited = life.facts.limited
          return unless limited.limit_bytes
          facts = facts(life, limited, stuck).merge(compiled: limited.compiled_iseqs.to_i)
          Advise::Rules::Finding.new(rule: :jit_stuck, remedy: :setting, weight: WEIGHT, facts:,
            change: change(life, limited))
        end

        def largest(lives)
          lives.max_by { |life| life.facts.total_bytes.to_i }
        end

        def change(life, limited)
          unless limited.limit_from == UNKNOWN
            return JitRules::OptionText.with(life, limited.size_option, limited.larger_mib)
          end
          line = "RubyVM::YJIT.enable(mem_size: #{limited.larger_mib})"
          Advise::Rules::Finding::ProposedChange.new(new: line)
        end

        def facts(life, jit, full)
          {processes: full.size, limit_bytes: jit.limit_bytes, from: jit.limit_from.to_s,
           code_bytes: jit.code_bytes, metadata_bytes: jit.metadata_bytes,
           failures: jit.failures, failed: jit.failures || uncounted(life.ruby),
           more_bytes: jit.larger_by_bytes * full.size, query: "report --table jit"}
        end

        # @return [Hash, nil] a phrase if that Ruby does not count them
        def uncounted(ruby)
          (ruby&.counts_failures? == false) ? {phrase: :not_counted, ruby: ruby.minor} : nil
        end
        private_class_method :known?, :at_limit, :at_unknown_limit, :largest, :change, :facts, :uncounted
      end

      # Y05: processes used far less than the limit for a day. Lowering it saves no memory.
      module LimitUnused
        USED = 0.6
        # Less growth within the day counts as none.
        FLAT = 0.02
        # Samples may be this far apart.
        SLACK_S = 3600

        module_function

        def call(situation)
          on = situation.summary.jits.yjit
          life = on.find { |each| set?(each.facts) && used(each.facts) < USED && flat?(each) }
          return unless life
          facts = {used_share: used(life.facts), limit_bytes: life.facts.limit_bytes,
                   from: life.facts.limit_from, query: "report --since 25h"}
          Advise::Rules::Finding.new(rule: :jit_limit_unused, remedy: :setting, facts:)
        end

        def set?(jit)
          jit.limit_bytes && jit.total_bytes && !jit.limit_from.to_s.include?("default")
        end

        def used(jit)
          bytes = (jit.limit_of == "code") ? jit.code_bytes : jit.total_bytes
          bytes.fdiv(jit.limit_bytes)
        end

        def flat?(life)
          day = life.trail.since(life.last_s - DAY_S)
          return false if day.last_s - day.first_s < DAY_S - SLACK_S
          grown = %i[jit_code_bytes jit_alloc_bytes].sum { |key| day.grown(key).to_i }
          grown <= FLAT * life.facts.total_bytes
        end
        private_class_method :set?, :used, :flat?
      end

      # Y06: memory is short and there is much compiled code: a lower limit gives some of it back.
      module CutMemory
        # Enough compiled code for applications of all sizes.
        CODE_MIB = 32

        module_function

        def call(situation)
          return unless JitRules::Headroom.full?(situation.machine)
          on = situation.summary.jits.yjit
          large = on.select { |life| life.facts.code_bytes.to_i > CODE_MIB * MIB }
          life = large.max_by { |each| each.facts.code_bytes }
          return unless life
          facts = {code_bytes: life.facts.code_bytes, used_share: situation.machine.memory_share,
                   saved_bytes: saved(large), processes: large.size, query: "report --table jit"}
          Advise::Rules::Finding.new(rule: :jit_cut_memory, remedy: :setting, change: change(life), facts:)
        end

        def saved(lives)
          above = lives.sum { |life| life.facts.code_bytes - CODE_MIB * MIB }
          Analysis::JitReport.memory(Analysis::JitReport.with_metadata(above)).round
        end

        def change(life)
          option = JitRules::OptionText
          return option.with(life, option::CODE_SIZE, CODE_MIB) if life.facts.limit_of == "code"
          option.with(life, option::TOTAL_SIZE, Analysis::JitReport.with_metadata(CODE_MIB).round)
        end
        private_class_method :saved, :change
      end

      # Y07: more code on Ruby 3.3 than Ruby 3.4 has room for, where the limit covers code and metadata.
      module BeforeUpgrade
        CODE_MIB = 36
        ROOM = 1.15

        module_function

        def call(situation)
          on = situation.summary.jits.yjit
          old = on.select { |life| life.ruby && !life.ruby.limits_total? && life.facts.total_bytes }
          jit = old.map(&:facts).max_by(&:code_bytes)
          return unless jit && jit.code_bytes > CODE_MIB * MIB
          Advise::Rules::Finding.new(rule: :jit_before_upgrade, remedy: :setting, change: change(jit),
            facts: {code_bytes: jit.code_bytes, total_bytes: jit.total_bytes, query: "report --table jit"})
        end

        def change(jit)
          option = JitRules::OptionText
          needed_mib = (jit.total_bytes * ROOM / MIB).ceil
          line = "RUBYOPT=\"#{option::WAIT} #{option::TOTAL_SIZE}=#{needed_mib}\""
          Advise::Rules::Finding::ProposedChange.new(new: line)
        end
        private_class_method :change
      end

      # Y18: memory grows for hours and the JIT's does not: something else grows, most often fragmentation.
      module MemoryGrowsElsewhere
        LONG_S = 2 * 3600
        # Growth per hour worth a look, and the JIT's share of it below which the JIT is not the cause.
        SHARE = 0.05
        BYTES = 20 * MIB
        PART = 0.1

        module_function

        def call(situation)
          life = situation.summary.jits.on.find { |each| grows?(each) }
          return unless life
          facts = {name: life.name.to_s, jit: life.facts.name, grown_bytes: an_hour(life, :rss_bytes).round,
                   jit_bytes: jit(life).round, rss_bytes: life.rss_bytes, query: "report --table jit"}
          if life["malloc"] || life["malloc_arena_max"]
            return Advise::Rules::Finding.new(rule: :jit_memory_leak,
              facts:)
          end
          Advise::Rules::Finding.new(rule: :jit_memory_elsewhere, remedy: :setting, facts:,
            change: Advise::Rules::Finding::ProposedChange.new(new: "MALLOC_ARENA_MAX=2"))
        end

        def grows?(life)
          return false unless life.age_s >= LONG_S && life.rss_bytes && later_half(life)
          grown = an_hour(life, :rss_bytes)
          grown >= BYTES && grown >= SHARE * life.rss_bytes && jit(life) <= PART * grown
        end

        # The first hours are warm-up.
        def later_half(life)
          life.trail.since(life.last_s - [life.age_s / 2, HOUR_S].max)
        end

        def an_hour(life, key)
          points = later_half(life).points(key)
          return 0.0 if points.empty?
          first_s, first = points.first
          last_s, last = points.last
          (last_s > first_s) ? (last - first) * HOUR_S.fdiv(last_s - first_s) : 0.0
        end

        def jit(life)
          grown = %i[jit_code_bytes jit_alloc_bytes].sum { |key| an_hour(life, key) }
          Analysis::JitReport.memory(grown)
        end
        private_class_method :grows?, :later_half, :an_hour, :jit
      end

      # Y19: workers forked from a master that loaded the application and did not compact its heap first.
      module NoWarmup
        module_function

        def call(situation)
          untidy = situation.summary.jits.present.select do |life|
            life.worker? && life.facts.prepared == false && shared?(life)
          end
          return if untidy.size < 2
          hook = hook(untidy.first)
          Advise::Rules::Finding.new(rule: :jit_no_warmup, remedy: :setting,
            change: hook && Advise::Rules::Finding::ProposedChange.new(new: hook),
            facts: {processes: untidy.size, server: untidy.first["server"].to_s, query: "report --table jit"})
        end

        def hook(life) = adapter(life)&.warm_up(life)

        def shared?(life)
          adapter = adapter(life)
          adapter ? adapter.forks_loaded?(life) : life["preload"]
        end

        def adapter(life) = Servers::ADAPTERS[life["server"]]
        private_class_method :hook, :shared?, :adapter
      end
    end
  end
end
