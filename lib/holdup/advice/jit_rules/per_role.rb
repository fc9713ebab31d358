# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y16: job processes are short of memory and web processes are not: the JIT can be on for the one and
      # off for the other.
      module PerRole
        NEAR = 0.95

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          jobs, web = %w[jobs server].map { |fact| servers(situation, fact) }
          tight = jobs.find { |server| short?(situation, server) }
          return unless tight && web.any? && web.none? { |server| short?(situation, server) }
          Finding.new(rule: :jit_per_role, remedy: :setting, weight: 0.02, change: ProposedChange.new(new: "HOLDUP_JIT=off"),
            facts: {server: tight.name.to_s, memory_bytes: tight.median { |life| life.facts.memory_bytes }, rss_bytes: tight.median(&:rss_bytes), query: "report"})
        end

        # Where jobs run in a web server's processes, they share its JIT.
        def servers(situation, fact)
          situation.summary.jits.servers.select { |server|
            server.on.any? && server.on.all? { |life| role(life) == fact }
          }
        end

        def role(life)
          return "server" if life["server"]
          "jobs" if life["jobs"]
        end

        def short?(situation, server)
          hosts = server.on.map(&:host)
          if situation.summary.processes.machines.any? { |machine|
            hosts.include?(machine.host) && Headroom.full?(machine)
          }
            return true
          end
          !!server.killer&.limit_bytes && server.growth.known? && server.watched_bytes.to_i > NEAR * server.killer.limit_bytes
        end
        private_class_method :servers, :role, :short?
      end
    end
  end
end
