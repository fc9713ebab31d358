# frozen_string_literal: true

module Holdup
  module JitReport
    # Advice on the JIT (background: docs/guide/yjit.md). The rules, Y01 to Y22, read samples of all
    # processes, so each returns nil if its figures are not known.
    module JitRules
      module Headroom
        module_function

        # Whether it is known to be nearly full.
        def full?(machine)
          machine&.memory_share.to_f >= Analysis::Thresholds::FULL
        end

        # Whether so much more would fit; true if that is not known.
        def room?(machine, more_bytes)
          return true if machine&.memory_share.nil?
          machine.memory_bytes + more_bytes < Analysis::Thresholds::FULL * machine.memory_limit_bytes
        end
      end

      # The exact text that adds a JIT option to those Ruby was started with, or removes one.
      module OptionText
        CODE_SIZE = "--yjit-exec-mem-size"
        TOTAL_SIZE = "--yjit-mem-size"
        THRESHOLD = "--yjit-call-threshold"
        # Names of the same options in `config.jit`, which sets them while Ruby runs.
        KEYWORDS = {TOTAL_SIZE => "mem_size", THRESHOLD => "call_threshold"}.freeze
        WAIT = "--yjit-disable"
        ZJIT = /\A--zjit/

        module_function

        def with(life, name, value)
          if KEYWORDS[name] && life.ruby&.takes_options?
            line = "config.jit = {#{KEYWORDS[name]}: #{value}}"
            return Advise::Rules::Finding::ProposedChange.new(new: line)
          end
          rubyopt([*kept(life, name), "#{name}=#{value}"], life)
        end

        def without(life, name)
          rubyopt(kept(life, name), life)
        end

        # @return [Advise::Rules::Finding::ProposedChange] so that a JIT that starts with Ruby waits until it
        #   is enabled
        def late(life)
          options = [*kept(life, "--yjit"), WAIT].uniq
          line = "config.jit = :on, RUBYOPT=\"#{options.join(" ")}\""
          Advise::Rules::Finding::ProposedChange.new(new: line)
        end

        def rubyopt(options, life)
          options = [WAIT, *options] unless life.facts.at_boot? || options.include?(WAIT) || options.empty?
          Advise::Rules::Finding::ProposedChange.new(new: "RUBYOPT=\"#{options.join(" ")}\"")
        end

        # ZJIT's options would make a Ruby with YJIT's exit.
        def kept(life, name)
          options = life.facts.options.to_s.split.grep_v(ZJIT)
          options.reject { |option| option == name || option.start_with?("#{name}=") }
        end
        private_class_method :rubyopt, :kept
      end

      # Facts about a memory killer's limit: the size it needs, what the killer counts, how certain that is.
      module KillerFacts
        S = 1_000_000_000

        module_function

        # @param needed_bytes [Integer] that its limit has to leave
        def call(server, needed_bytes)
          killer = server.killer
          {killer: killer.name, limit_bytes: killer.limit_bytes, needed_bytes:,
           setting: killer.line(needed_bytes), counts: counts(server.watched),
           basis: basis(server.growth, server.watched.room_bytes)}
        end

        def counts(watched)
          return {phrase: :killer_counts_one} unless watched.all?
          group = watched.largest
          phrase = group.master_known ? :killer_counts_all : :killer_counts_all_but
          {phrase:, workers: group.workers, each_bytes: watched.each_bytes, master_bytes: group.master_bytes}
        end

        def basis(growth, room_bytes)
          phrase = room_bytes.positive? ? :growth_cold : :"growth_#{growth.basis}"
          {phrase:, wanted_ns: growth.wanted_s * S, seen_ns: growth.seen_s * S, room_bytes:}
        end
        private_class_method :counts, :basis
      end
    end
  end
end
