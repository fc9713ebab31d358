# frozen_string_literal: true

module Holdup
  module Advise
    module Rules
      module LockRules
        # Requests or jobs of one name wait for locks for a tenth of their time: for each other, for others,
        # or for what other threads hand over.
        module LongWaits
          # A mean of fewer says little.
          FEWEST = 20
          # One that ends so much of the waits is named.
          MOSTLY = 0.5
          # In these one waits for a result or for work, not for the end of a critical section.
          HANDED_OVER = %w[Queue SizedQueue ConditionVariable Thread].freeze

          module_function

          def call(situation)
            waits = situation.summary.lock_waits
            line = waits.notable.find { |one| one.count >= FEWEST } or return
            place = waits.waits_at(line.name)
            pair = waits.ended_by(line.name).find(&:named?)
            pair = nil unless pair && pair.share >= MOSTLY
            return unless place || pair
            facts = {name: line.name, lock_ns: line.each_ns.round, lock_share: line.share,
                     place: place&.location, kind: place&.primitive, **ender(waits, pair),
                     query: "report --table lock_pairs --name #{situation.quoted(line.name)}"}
            weight = line.lock_ns.fdiv([situation.total.wall_ns, 1].max).clamp(0, 1)
            Finding.new(rule: rule(place, pair), weight:, facts:)
          end

          def rule(place, pair)
            return :locks_handed_over if HANDED_OVER.include?(place&.primitive)
            return :locks_unknown unless pair
            (pair.causer == pair.victim) ? :locks_own : :locks_others
          end
          private_class_method :rule

          def ender(waits, pair)
            return {} unless pair
            at = waits.ends_at(pair.causer.name)
            {cause: pair.causer.name.delete_prefix(Series::THREAD), ended_share: pair.share,
             ended_at: at&.location}
          end
          private_class_method :ender
        end
      end
    end
  end
end
