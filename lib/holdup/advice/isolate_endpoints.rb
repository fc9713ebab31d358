# frozen_string_literal: true

module Holdup
  module Advice
    # Requests that take more of the GVL from others than their share of the CPU, by holds that are not even
    # long: in processes of their own they take it from each other only. One process more for a few of them
    # may do what two for all would.
    module IsolateEndpoints
      # Of the stall, beyond its share of the CPU.
      BEYOND = 0.1
      WORTH = 0.05

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return if situation.jobs? || !situation.sized? || Convoy.cause(situation)
        row, shares = cause(situation)
        return unless row
        found = situation.evident({name: row.name, **shares}, query: "whatif --own-pool #{situation.quoted(row.name)}", above: WORTH,
          own_pool: Sizing::WhatIf::OwnPool.new(name: situation.literal(row.name)))
        if found
          Finding.new(rule: :isolation,
            weight: shares[:caused_share] * situation.total.split.share(:stalled), **found)
        end
      end

      # @return [Array(Analysis::SeriesRow, Hash), nil] whom most of the stall is due to, and its shares of
      #   stall and CPU
      def cause(situation)
        blame = situation.summary.blame
        row = situation.summary.rows.find { |each| each.name == blame.series.first&.name } or return
        shares = {caused_share: blame.caused_share(blame.series.first),
                  cpu_share: row.sum(:cpu_ns).fdiv([situation.total.sum(:cpu_ns), 1].max)}
        [row, shares] if shares[:caused_share] - shares[:cpu_share] > BEYOND
      end
      private_class_method :cause
    end
  end
end
