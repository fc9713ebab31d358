# frozen_string_literal: true

module Holdup
  module Advice
    # Units that wait for each other's Mutex, Queue or monitor: no setting helps, for the lock is the one
    # server.
    module LockContention
      MUCH = 0.1

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        split = situation.total.split
        return if situation.summary.empty? || split.share(:lock) < MUCH
        worst = situation.summary.rows.max_by { |row| row.sum(:lock_ns) }
        Finding.new(rule: :lock_contention, weight: split.share(:lock),
          facts: {lock_share: split.share(:lock), name: worst.name, each_ns: worst.per_unit(worst.sum(:lock_ns)), query: "report --name #{situation.quoted(worst.name)}"})
      end
    end
  end
end
