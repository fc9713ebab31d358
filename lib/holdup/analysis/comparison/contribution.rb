# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # What one endpoint did to the mean elapsed time of all units.
      # - `shares`: of the units of each side; `means`: its mean elapsed time, ns, before and after
      # - `moved_ns`: by how much it moved the mean of all units; `range`: 95 %, nil with too few blocks
      Contribution = Data.define(:series, :shares, :means, :moved_ns, :range) do
        # @param measured [Array<BlockCells::ResampledSide>] both sides, each block once
        # @param rounds [Array<Hash{Series => Float}>] moves in each round of the bootstrap
        # @return [Array<Contribution>] those that moved most first
        def self.all(measured, rounds, bootstrap, widening: 1.0)
          counts = measured.map(&:counts)
          means = measured.map { |side| side.means(:wall) }
          contributions = moves(measured).map do |series, moved_ns|
            shares = counts.map { |units| units[series].fdiv(units.values.sum) }
            range = range(moved_ns, rounds.map { |moves| moves[series].to_f }, bootstrap, widening)
            new(series:, shares:, means: means.map { |side| side[series] }, moved_ns:, range:)
          end
          contributions.sort_by { |contribution| -contribution.moved_ns.abs }
        end

        def self.moves(sides)
          counts = sides.first.counts
          all = counts.values.sum
          before, after = sides.map { |side| side.means(:wall) }
          (before.keys & after.keys).to_h do |series|
            [series, (after[series] - before[series]) * counts[series] / all]
          end
        end

        def self.range(moved_ns, moves, bootstrap, widening)
          return if moves.empty?
          deviation, freedom = bootstrap.deviation(moves.map { |moved| [0.0, moved] }, ratio: false)
          quantile = Estimate::StudentDistribution.quantile(0.5 + Estimate::LEVEL / 2, freedom)
          reach = deviation * widening * quantile
          (moved_ns - reach)..(moved_ns + reach)
        end
        private_class_method :range
      end
    end
  end
end
