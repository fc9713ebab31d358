# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y12: on, and does nothing: a TracePoint has spoiled it, before or after it was tested.
      module Ineffective
        # A warm process whose interpreted instructions for each unit become so many times as many was spoiled
        # later.
        TIMES = 10
        # The last stretches, that all have to show it, and the first ones after it was warm, that all don't.
        STRETCHES = 3

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          useless = situation.summary.jits.on.select { |life| life.facts.effective == false }
          weight = WaitBound.most_share(WaitBound.ruby_share(situation))
          return proven(useless, weight) if useless.any?
          life = situation.summary.jits.on.find { |one| spoiled?(one) }
          later(life, weight) if life
        end

        def proven(lives, weight)
          suspects = lives.flat_map { |life| life.facts.suspected }.uniq
          rule = suspects.empty? ? :jit_ineffective : :jit_ineffective_suspects
          Finding.new(rule:, weight:,
            facts: {processes: lives.size, suspects: suspects.join(", "), query: "doctor"})
        end

        def later(life, weight)
          before, after = ends(life)
          Finding.new(rule: :jit_spoiled_later, weight:,
            facts: {name: life.name.to_s, before: before.max, after: after.min, query: "report --format json"})
        end

        def spoiled?(life)
          before, after = ends(life)
          !before.nil? && after.min > TIMES * before.max && after.min > 1
        end

        # Interpreted instructions for each unit when it had just become warm, and now.
        def ends(life)
          return unless life.warm_s
          rates = life.warm_up.select { |age_s, _| life.born_s + age_s > life.warm_s }.map(&:last)
          [rates.first(STRETCHES), rates.last(STRETCHES)] if rates.size >= 2 * STRETCHES
        end
        private_class_method :proven, :later, :spoiled?, :ends
      end
    end
  end
end
