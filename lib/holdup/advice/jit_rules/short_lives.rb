# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y09: workers are replaced before they had anything of what they compiled. Where a memory killer is
      # known, the limit that lets them live comes from how their memory grows.
      module ShortLives
        S = 1_000_000_000

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          jits = situation.summary.jits
          lives = jits.wasted.first
          return unless lives
          server = jits.servers.find { |one| one.name == lives.server }
          facts = {server: lives.server.to_s, ended: lives.ended, units: lives.units,
                   lived_ns: lives.seconds * S, query: "report"}
          found = {remedy: :setting, weight: 0.05}
          unless server&.killer && server.growth.known?
            return Finding.new(rule: :jit_short_lives, facts:, **found)
          end
          Finding.new(rule: :jit_short_lives_killer, **found,
            facts: {**facts, **KillerFacts.call(server, server.needed_bytes)})
        end
      end
    end
  end
end
