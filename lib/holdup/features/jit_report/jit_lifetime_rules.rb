# frozen_string_literal: true

module Holdup
  module JitReport
    module JitLifetimeRules
      # Y09: workers are replaced before they gain from what they compiled. If a memory killer is known, the
      # growth of their memory gives the limit that lets them live.
      module ShortLives
        S = 1_000_000_000

        module_function

        def call(situation)
          jits = situation.summary.jits
          lives = jits.wasted.first
          return unless lives
          server = jits.servers.find { |each| each.name == lives.server }
          facts = {server: lives.server.to_s, ended: lives.ended, units: lives.units,
                   lived_ns: lives.seconds * S, query: "report --table jit"}
          unless server&.killer && server.growth.known?
            return Advise::Rules::Finding.new(rule: :jit_short_lives, remedy: :setting, weight: 0.05, facts:)
          end
          killer_facts = JitRules::KillerFacts.call(server, server.needed_bytes)
          Advise::Rules::Finding.new(rule: :jit_short_lives_killer, remedy: :setting, weight: 0.05,
            facts: {**facts, **killer_facts})
        end
      end

      # Y15: processes that end within a minute, such as one for each job: they compile and gain nothing.
      module ShortProcesses
        SHORT_S = 60
        MANY = 5

        module_function

        def call(situation)
          ended = situation.summary.jits.lives.select do |life|
            life.ended? && life.facts.yjit? && !life.worker?
          end
          short = ended.select { |life| life.age_s < SHORT_S }
          return if short.size < MANY || short.size * 2 < ended.size
          Advise::Rules::Finding.new(rule: :jit_short_processes, remedy: :setting, weight: 0.02,
            change: Advise::Rules::Finding::ProposedChange.new(new: "HOLDUP_JIT=off"),
            facts: {processes: short.size, all: ended.size, query: "report --table jit"})
        end
      end

      # Y10: the limit of a memory killer leaves no room for YJIT's memory: now, or once it is switched on.
      module KillerLimit
        module_function

        def call(situation)
          server = situation.summary.jits.servers.find do |each|
            each.killer&.limit_bytes && each.growth.known? && works?(each)
          end
          return unless server
          return before(server) if server.on.empty?
          now(server) if server.yjit.any?
        end

        # A killer that is loaded but not started ends no process.
        def works?(server)
          server.ended.any? || server.watched_bytes.to_i <= server.killer.limit_bytes
        end

        def now(server)
          needed = server.needed_bytes
          finding(:jit_killer_limit, server, needed) if server.killer.limit_bytes < needed
        end

        def before(server)
          return unless server.present.any? { |life| JitActivationRules::NotEnabled.missing?(life) }
          needed = server.needed_bytes + server.most_bytes
          finding(:jit_killer_before, server, needed) if server.killer.limit_bytes < needed
        end

        def finding(rule, server, needed_bytes)
          facts = {server: server.name.to_s, seen_bytes: server.watched_bytes,
                   most_bytes: server.most_bytes, processes: server.present.size, query: "report --table jit"}
          Advise::Rules::Finding.new(rule:, remedy: :setting, weight: 0.04,
            facts: {**JitRules::KillerFacts.call(server, needed_bytes), **facts})
        end
        private_class_method :works?, :now, :before, :finding
      end
    end
  end
end
