# frozen_string_literal: true

module Holdup
  module Advice
    # Before Ruby 3.4 no variable shortens the time slice, but a thread's priority does: lowered while it runs
    # the units that others stand behind, these give way sooner, and only these. Native code gives way to no
    # priority.
    module LowerPriority
      STEPS = 2
      WORTH = 0.05

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        recording = situation.recommendation&.recording
        return if recording.nil? || recording.slices?
        row, share = Convoy.cause(situation)
        return if row.nil? || NativeHolds.hold(row) >= NativeHolds::LONG_NS || !situation.sized?
        found = situation.evident({name: row.name, steps: STEPS, caused_share: share}, query: "whatif --priority #{situation.quoted(row.name, "=-#{STEPS}")}", above: WORTH,
          priorities: {situation.literal(row.name) => -STEPS})
        if found
          Finding.new(rule: :priority,
            change: ProposedChange.new(new: "Thread.current.priority -= #{STEPS}, ensure += #{STEPS}"), **found)
        end
      end
    end
  end
end
