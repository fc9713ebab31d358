# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # Requests that only wait, and keep threads from others meanwhile: Puma 8 lets those that say so go beyond its threads, which
    # costs no contention for the GVL as more threads for everybody would.
    module IoThreads
      LEVER = "max_io_threads"
      # Of the request's own time, and of the time of all threads.
      IDLE = 0.8
      OCCUPIES = 0.2
      WORTH = 0.05
      # Twice as many as are there at the peak on average: they come in clusters.
      ROOM = 2

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.sized? && !situation.jobs? && situation.levers[LEVER]
        row = situation.summary.rows.select { |each| waits?(each, situation.total) }.max_by(&:wall_ns) or return
        count = threads(situation, row)
        found = situation.evident({name: row.name, best: count, idle_share: row.idle_share, occupied_share: row.wall_ns.fdiv(situation.total.wall_ns)},
          query: "whatif --io '#{row.name}' --max-io-threads #{count}", io: situation.literal(row.name), io_threads: count)
        Finding.new(rule: :io_threads, remedy: :setting, change: situation.levers.change(LEVER, count), **found) if found[:gain].to_f > WORTH
      end

      def waits?(row, total) = row.idle_share.to_f >= IDLE && row.wall_ns >= OCCUPIES * total.wall_ns

      # Little's law: how many of them a process has at the peak.
      def threads(situation, row)
        recommendation = situation.recommendation
        rate = recommendation.rate * row.count / situation.total.count / recommendation.now.processes
        [(ROOM * rate * row.per_unit(row.wall_ns) / 1e9).ceil, 1].max
      end
    end
  end
end
