# frozen_string_literal: true

module Holdup
  module Advice
    # Requests that only wait, and keep threads from others meanwhile: Puma 8 lets those that say so go beyond
    # its threads, which adds no stall as more threads for everybody would.
    module IoThreads
      LEVER = "max_io_threads"
      WORTH = 0.05

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.sized? && !situation.jobs? && situation.levers[LEVER]
        row = situation.summary.rows.select { |each|
          waits?(each,
            situation.total)
        }.max_by(&:wall_ns) or return
        count = threads(situation, row)
        found = situation.evident({name: row.name, best: count, idle_share: row.idle_share, occupied_share: row.wall_ns.fdiv(situation.total.wall_ns)},
          query: "whatif --io #{situation.quoted(row.name)} --max-io-threads #{count}", above: WORTH, io: situation.literal(row.name), io_threads: count)
        if found
          Finding.new(rule: :io_threads, remedy: :setting, change: situation.levers.change(LEVER, count),
**found)
        end
      end

      def waits?(row, total)
        Sizing::IoUnits.wait?(row.idle_share, row.wall_ns.fdiv(total.wall_ns))
      end

      # As the advised setting has it, or as many as they are at the peak.
      def threads(situation, row)
        recommendation = situation.recommendation
        advised = situation.change? ? recommendation.best.candidate.io_threads : 0
        return advised if advised.positive?
        rate = recommendation.rate * row.count / situation.total.count / recommendation.now.processes
        Sizing::IoUnits.threads(rate, row.per_unit(row.wall_ns))
      end
      private_class_method :waits?, :threads
    end
  end
end
