# frozen_string_literal: true

module Holdup
  module View
    module Pages
      # The JIT of each process: start, warm-up, memory, and what hinders it.
      class Jit < Base
        NS = 1_000_000_000
        COLUMNS = %i[process life_column life_by life_for life_warm life_effective life_memory life_full
          life_thrown].freeze

        def blocks
          return [Blocks::Lead.new(text: word(:no_jit_samples)), *last_data] if lives.empty?
          lead = word(:life_lead, on: Figures.count(summary.jits.on.size), all: Figures.count(lives.size))
          [Blocks::Lead.new(text: lead), warm_up.block(query.limit), section(Sections::JitTable), lives_table,
            findings(word(:jit_findings), Holdup::Advice::JitRules::RULES)].compact
        end

        def asks = []

        # @return [Hash{String => Chart}]
        def charts = warm_up.to_h

        private

        def warm_up
          @warm_up ||= Charts::WarmUp.new(lives, every_s: summary.jits.every_s, words: @words)
        end

        def lives = summary.jits.present

        def lives_table
          Section.new(title: word(:processes), columns: COLUMNS.map { |key| word(key) },
            rows: lives.first(query.limit).map { |life| row(life) }, notes: [word(:life_note)])
        end

        def row(life)
          facts = life.facts
          [names.call(life), Width.clean(facts.kind), switched_on_by(facts), age(life),
            seconds(life.warm_after_s), truth(facts.effective), Figures.bytes(facts.memory_bytes),
            truth(facts.saturated), Figures.count(facts.invalidations)]
        end

        def switched_on_by(facts)
          facts.by ? Width.clean(@words.jit_fact(facts.by)) : Figures::NONE
        end

        def names
          @names ||= Charts::Processes::Names.new(lives, words: @words)
        end

        def age(life)
          since_ns = life.facts.since_ns
          since_ns ? seconds(life.last_s - since_ns / NS) : Figures::NONE
        end

        def seconds(number)
          Figures.duration(number && number * NS)
        end

        def truth(value)
          word({true => :yes, false => :no}.fetch(value, :not_known))
        end
      end
    end
  end
end
