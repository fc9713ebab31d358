# frozen_string_literal: true

module Holdup
  module Advice
    # Whoever stalls most, with half of its acquisitions: each of them is a place at the end of the queue for
    # the GVL, and queries that are not asked cost no thread and no process. (Thousands of them are a storm,
    # which is told anyway.)
    module ManyAcquisitions
      FEW = 4
      WORTH = 0.05

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.sized?
        row = situation.summary.rows.max_by(&:stalled_ns)
        unless row && (FEW...ReleaseStorm::MANY).cover?(times = row.per_unit(row.sum(:acquisitions)).to_f)
          return
        end
        found = situation.evident({name: row.name, acquisitions: times, stall_ns: row.per_unit(row.stalled_ns)}, above: WORTH,
          query: "whatif --halve-acquisitions #{situation.quoted(row.name)}", halved: situation.literal(row.name))
        if found
          Finding.new(rule: :acquisitions, weight: row.stalled_ns.fdiv([situation.total.wall_ns, 1].max),
**found)
        end
      end
    end
  end
end
