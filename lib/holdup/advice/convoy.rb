# frozen_string_literal: true

module Holdup
  module Advice
    # Long holds: everybody else stands behind them. Few units cause most of the stall, and they are not the
    # ones that suffer.
    module Convoy
      # Half of a time slice.
      LONG_NS = 50_000_000
      CAUSED = 0.3
      STALLED = 0.05

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        row, share = cause(situation)
        return unless row
        Finding.new(rule: :convoy, weight: share * situation.total.split.share(:stalled), **situation.effect(without: situation.literal(row.name)),
          facts: {name: row.name, caused_share: share, hold_ns: row.histogram(:longest_hold).quantile(0.95),
                  count_share: row.count.fdiv(situation.total.count), query: "report --name #{situation.quoted(row.name)}"})
      end

      # @param situation [Situation]
      # @return [Array(Analysis::SeriesRow, Float), nil] whom the others stand behind, and its share of the
      #   stall
      def cause(situation)
        return if situation.total.split.share(:stalled) < STALLED
        blame = situation.summary.blame
        row = situation.summary.rows.find { |each| each.name == blame.series.first&.name && long?(each) }
        share = row && blame.caused_share(blame.series.first)
        [row, share] if row && share >= CAUSED
      end

      def long?(row)
        row.histogram(:longest_hold).quantile(0.95).to_i >= LONG_NS
      end
      private_class_method :long?
    end
  end
end
