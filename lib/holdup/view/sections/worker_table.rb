# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # The same with more of each process than a terminal has room for: who waits in it, its GC, its JIT, its
      # age.
      class WorkerTable < ProcessTable
        MORE = %i[process_waiting process_gc process_jit process_age].freeze
        NS = 1_000_000_000

        private

        def columns
          [*super, *MORE.map { |key| word(key) }]
        end

        def meanings = [*super, word(:workers_note)]

        def group_row(group)
          [*super, Figures.rate(group.waiting), percent(group.gc_share), "", ""]
        end

        def row(name, member, share)
          [*super, Figures.rate(member.waiting), percent(member.gc_share), jit(lives[member.identity]),
            duration(member.age_s * NS)]
        end

        def lives
          @lives ||= summary.jits.lives.to_h { |life| [life.trail.identity, life] }
        end

        # @param life [Analysis::JitReport::ProcessLife, nil]
        def jit(life)
          return Figures::NONE unless life
          return word(:process_jit_off) if life.facts.off?
          @words.list([label(life.facts.kind), *states(life).map { |state| word(:"process_jit_#{state}") }])
        end

        def states(life)
          [life.warm_s ? :warm : :cold, (if life.full?
                                           :full
                                         end), {true => :works, false => :idle}[life.facts.effective]].compact
        end
      end
    end
  end
end
