# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y04: the limit is reached, so what is not compiled yet stays interpreted. A quarter more, where there
      # is memory for it. Where the limit is not known (a hidden command line, an application that passes its
      # own), it shows all the same: compiling goes on to take time, and nothing is added. ZJIT also fails at
      # what it can't compile yet: no sign of memory.
      module Saturated
        WEIGHT = 0.05
        # Where a limit is from that may be another one.
        UNKNOWN = "unknown"
        ASSUMED = "assumed default"

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          lives = situation.summary.jits.on.select { |life| life.facts.kind == "yjit" }
          full = lives.select { |life| life.facts.saturated || (life.full? && known?(life.facts)) }
          return at_limit(full, situation.machine) if full.any?
          stuck = lives.select { |life| life.full? || life.stuck? }
          at_unknown_limit(stuck) if stuck.any?
        end

        def known?(jit)
          jit.limit_bytes && jit.limit_from != ASSUMED
        end

        def at_limit(full, machine)
          life = full.max_by { |one| one.facts.total_bytes.to_i }
          found = {remedy: :setting, weight: WEIGHT, facts: facts(life, life.facts, full)}
          unless Headroom.room?(machine, found[:facts][:more_bytes])
            return Finding.new(rule: :jit_saturated_no_room, **found)
          end
          Finding.new(rule: :jit_saturated,
            change: OptionText.with(life, life.facts.size_option, life.facts.larger_mib), **found)
        end

        def at_unknown_limit(stuck)
          life = stuck.max_by { |one| one.facts.total_bytes.to_i }
          limited = life.facts.limited
          return unless limited.limit_bytes
          Finding.new(rule: :jit_stuck, remedy: :setting, weight: WEIGHT, facts: facts(life, limited, stuck).merge(compiled: limited.compiled_iseqs.to_i),
            change: change(life, limited))
        end

        def change(life, limited)
          unless limited.limit_from == UNKNOWN
            return OptionText.with(life, limited.size_option, limited.larger_mib)
          end
          ProposedChange.new(new: "RubyVM::YJIT.enable(mem_size: #{limited.larger_mib})")
        end

        def facts(life, jit, full)
          {processes: full.size, limit_bytes: jit.limit_bytes, from: jit.limit_from.to_s, code_bytes: jit.code_bytes, metadata_bytes: jit.metadata_bytes,
           failures: jit.failures, failed: jit.failures || uncounted(life.ruby), more_bytes: jit.larger_by_bytes * full.size, query: "report"}
        end

        # @param ruby [Jit::RubyDefaults, nil]
        # @return [Hash, nil] a phrase where that Ruby does not count them
        def uncounted(ruby)
          (ruby&.counts_failures? == false) ? {phrase: :not_counted, ruby: ruby.minor} : nil
        end
        private_class_method :known?, :at_limit, :at_unknown_limit, :change, :facts, :uncounted
      end
    end
  end
end
