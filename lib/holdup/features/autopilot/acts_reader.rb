# frozen_string_literal: true

module Holdup
  module Autopilot
    # What the autopilot did for good: it kept other threads after an experiment, or took them back.
    module ActsReader
      EVENTS = %i[kept ends].freeze

      module_function

      # @param store [#audit_entries]
      # @return [Array<AuditEntry::AlikeEntries>] by time; those of the processes of one moment are one act
      def call(store, from_s, to_s)
        entries = store.audit_entries(from_s, to_s, events: EVENTS)
        AuditEntry::AlikeEntries.of(entries.select { |entry| entry.who == :autopilot && entry.changed? })
      end
    end
  end
end
