# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y10: a memory killer whose limit leaves no room for what YJIT takes: now, or once it is switched on.
      module KillerLimit
        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          server = situation.summary.jits.servers.find { |one|
            one.killer&.limit_bytes && one.growth.known? && works?(one)
          }
          return unless server
          server.on.any? ? now(server) : before(server)
        end

        # A gem that is loaded and not started ends nobody, however large they are.
        def works?(server)
          server.ended.any? || server.watched_bytes.to_i <= server.killer.limit_bytes
        end

        def now(server)
          if server.killer.limit_bytes < server.needed_bytes
            finding(:jit_killer_limit, server, server.needed_bytes)
          end
        end

        def before(server)
          return unless server.present.any? { |life| NotEnabled.missing?(life) }
          needed = server.needed_bytes + server.most_bytes
          finding(:jit_killer_before, server, needed) if server.killer.limit_bytes < needed
        end

        def finding(rule, server, needed_bytes)
          facts = {server: server.name.to_s, seen_bytes: server.watched_bytes, most_bytes: server.most_bytes,
                   processes: server.present.size, query: "report"}
          Finding.new(rule:, remedy: :setting, weight: 0.04,
            facts: {**KillerFacts.call(server, needed_bytes), **facts})
        end
        private_class_method :works?, :now, :before, :finding
      end
    end
  end
end
