# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # What one endpoint did to the mean elapsed time of all units.
      #
      # - `shares`: of the units of each side; `means`: its mean elapsed time, ns, before and after
      # - `moved_ns`: so much the mean of all units changed by it; `range`: 95 %, nil where there was too
      #   little to tell
      Contribution = Data.define(:series, :shares, :means, :moved_ns, :range) do
        # @param draws [Array<ResampledSide>] of both sides as measured
        # @param rounds [Array<Hash{Series => Float}>] what each moved in the rounds of the bootstrap
        # @param bootstrap [BlockBootstrap]
        # @param widening [Float] see Persistence
        # @return [Array<Contribution>] those that moved most first
        def self.all(draws, rounds, bootstrap, widening: 1.0)
          counts = draws.map(&:counts)
          means = draws.map { |draw| draw.means(:wall) }
          moves(draws).map { |series, moved_ns|
            new(series:, shares: counts.map { |units| units[series].fdiv(units.values.sum) }, means: means.map { |of_series| of_series[series] },
              moved_ns:, range: range(moved_ns, rounds.map { |moves| moves[series].to_f }, bootstrap, widening))
          }.sort_by { |one| -one.moved_ns.abs }
        end

        # @param draws [Array<ResampledSide>] of both sides
        # @return [Hash{Series => Float}] ns
        def self.moves(draws)
          counts = draws.first.counts
          all = counts.values.sum
          before, after = draws.map { |draw| draw.means(:wall) }
          (before.keys & after.keys).to_h { |series|
            [series, (after[series] - before[series]) * counts[series] / all]
          }
        end

        def self.range(moved_ns, moves, bootstrap, widening)
          return if moves.empty?
          deviation, freedom = bootstrap.deviation(moves.map { |moved| [0.0, moved] }, ratio: false)
          reach = deviation * widening * StudentDistribution.quantile(0.5 + Estimate::LEVEL / 2, freedom)
          (moved_ns - reach)..(moved_ns + reach)
        end
        private_class_method :range
      end
    end
  end
end
