# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # Who waited for locks, and who ended these waits.
      class LockPairTable < View::SectionBase
        include PartyNames

        COLUMNS = %i[lock_waiter lock_ender pair_wait_share pair_wait].freeze
        # Names whose place is said.
        PLACES = 3

        def self.parts(summary)
          summary.lock_waits.names.any? ? [:locks] : []
        end

        # @return [View::Section, nil] nil where none waited, or nothing was recorded of it
        def call
          return unless summary.lock_waits.names.any? && pairs.any?
          View::Section.new(title: word(:who_ended_locks), columns: COLUMNS.map { |key| word(key) },
            rows: pairs.first(limit).map { |pair| row(pair) },
            notes: [*beyond(pairs), *places, word(:who_ended_locks_note)])
        end

        private

        def pairs = summary.lock_pairs

        def row(pair)
          [party(pair.victim), party(pair.causer), View::Figures.bare_share(pair.share), duration(pair.ns)]
        end

        def places
          pairs.map { |pair| pair.victim.name }.uniq.first(PLACES).filter_map do |name|
            place = summary.lock_waits.waits_at(name) or next
            word(:longest_lock_wait, name: label(name), method: View::Width.clean(place.label),
              location: place.location && View::Width.clean(place.location), kind: place.primitive)
          end
        end
      end
    end
  end
end
