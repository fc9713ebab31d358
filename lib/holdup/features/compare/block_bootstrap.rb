# frozen_string_literal: true

module Holdup
  module Compare
    # Draws the blocks of both sides with replacement, and sees how much a figure moves. Blocks, because
    # units of the same minutes meet the same load: resampled one by one, they give intervals that hold the
    # truth in a fifth of the cases. Where both sides have the same blocks, these are drawn together, so
    # that what hits both sides cancels.
    # Drawing from n blocks finds (n - 1)/n of their variance, and the deviation itself is uncertain when n
    # is small. Both are corrected, the second by Student's distribution in Estimate.
    class BlockBootstrap
      ROUNDS = 200
      # Fewer blocks give no interval.
      FEWEST = 3

      # @param before [Integer] blocks
      # @param paired [Boolean] whether they are the same blocks of time, in the same order
      def initialize(before, after, paired:, rounds: ROUNDS, seed: 1)
        @sizes = [before, after]
        @paired = paired
        @rounds = rounds
        @seed = seed
      end

      def possible? = @sizes.min >= FEWEST

      # @yieldparam before [Array<Integer>] how often each block was drawn
      # @return [Array] what the block returned, by round; empty where there are too few blocks
      def rounds
        return [] unless possible?
        random = Random.new(@seed)
        Array.new(@rounds) do
          before = draw(@sizes.first, random)
          after = @paired ? before : draw(@sizes.last, random)
          yield before, after
        end
      end

      # @param pairs [Array<(Float, Float)>] a figure of both sides, by round
      # @param ratio [Boolean] of the logarithm of their ratio, else of their difference
      # @return [Array(Float, Float)] standard error and its degrees of freedom
      def deviation(pairs, ratio:)
        pairs = scaled(pairs) if ratio
        before, after = pairs.transpose.map { |values| variance(values) }
        total = variance(pairs.map { |one, other| other - one })
        [Math.sqrt(total * inflation(before, after)), freedom(before, after)]
      end

      private

      # A side that is 0 in a draw has no logarithm there. Then the figures are divided by their mean, which
      # is the same for small differences.
      def scaled(pairs)
        return pairs.map { |pair| pair.map { |value| Math.log(value) } } if pairs.flatten.all?(&:positive?)
        mean = pairs.flatten.sum / pairs.flatten.size
        mean.zero? ? pairs : pairs.map { |pair| pair.map { |value| value / mean } }
      end

      def draw(size, random)
        drawn = Array.new(size, 0)
        size.times { drawn[random.rand(size)] += 1 }
        drawn
      end

      def inflation(before, after)
        weights = (before + after).zero? ? [1, 1] : [before, after]
        weights.zip(@sizes).sum { |weight, size| weight * size.fdiv(size - 1) } / weights.sum
      end

      def freedom(before, after)
        return @sizes.min - 1 if @paired || (before + after).zero?
        Estimate::StudentDistribution.freedom([before, after], @sizes)
      end

      def variance(values)
        mean = values.sum / values.size
        values.sum { |value| (value - mean)**2 } / (values.size - 1)
      end

      # The blocks of time. The load of a minute is like that of the minute before, so blocks are as long as
      # the recording allows. A block has all hosts and processes, because they share the load.
      class TimeBlocks
        LENGTHS_S = [60, 120, 300, 600, 1200, 1800, 3600].freeze
        ENOUGH = 6
        # Lengths for days and weeks, where there are at least ENOUGH_LONGER blocks.
        LONGER_S = [10_800, 21_600, 43_200].freeze
        ENOUGH_LONGER = 12
        # Sides that share so many of their windows were measured at the same time.
        SAME_TIME = 0.75
        # Shortest block length => share of 95 % intervals that held the truth, in simulations of two
        # recordings whose load is like that of the minute before (correlation 0.8).
        HELD = {60 => 0.7, 120 => 0.8, 300 => 0.88, 600 => 0.9}.freeze

        # @param covered_s [Integer] seconds of the shorter side
        def self.length_s(covered_s)
          LONGER_S.reverse.find { |seconds| seconds * ENOUGH_LONGER <= covered_s } ||
            LENGTHS_S.reverse.find { |seconds| seconds * ENOUGH <= covered_s } ||
            LENGTHS_S.first
        end

        attr_reader :length_s

        def initialize(before, after)
          @seconds = [before, after].map do |windows|
            windows.to_h { |window| [window.start_s, window.seconds] }
          end
          @starts = @seconds.map(&:keys)
          covered_s = @seconds.map { |seconds| seconds.values.sum }.min
          @length_s = [self.class.length_s(covered_s), window_s].max
        end

        def paired?
          @paired ||= @starts.all?(&:any?) && shared_starts.size >= SAME_TIME * @starts.map(&:size).max
        end

        # See HELD; nil at the same time, when what hits both sides cancels.
        def held
          return if paired?
          HELD.select { |seconds, _| seconds <= length_s }.values.last
        end

        # @param side [Integer] 0 before, 1 after
        def numbers(side)
          numbers = @starts.map { |starts| starts.map { |start_s| number(start_s) }.uniq.sort }
          paired? ? numbers.reduce(:&) : numbers[side]
        end

        def number(start_s) = start_s / length_s

        private

        def shared_starts = @starts.reduce(:&)

        # The length of the longest window, or the next block length that holds it: windows that were
        # measured in part have fewer seconds.
        def window_s
          longest_s = @seconds.flat_map(&:values).max || 0
          [*LENGTHS_S, *LONGER_S].find { |seconds| seconds >= longest_s } || longest_s
        end
      end

      # How much a block is like the one before it. The bootstrap takes blocks for independent. Where swings
      # of the load last longer than a block, the mean of a side is less certain, and the blocks differ less
      # than they would in the long run. The correlation of neighbours is estimated from both sides together
      # and corrected for the bias of few blocks. Both effects are those of a first-order autoregressive
      # process.
      # Source: Marriott & Pope, Bias in the estimation of autocorrelations (Biometrika 41, 1954); Box,
      # Jenkins & Reinsel, Time Series Analysis, 2.1 (variance of a mean).
      class Autocorrelation
        # A swing looks like a change above it.
        MOST = 0.9

        # @param sides [Array<Array<Hash{Symbol => Float, nil}>>] figures of each block, by metric
        # @param paired [Boolean] whether both sides have the same blocks: then differences count
        def initialize(sides, paired:)
          @sides = sides
          @paired = paired
          @widenings = {}
        end

        # Factor by which the metric's interval is wider than with independent blocks, at least 1.0.
        def widening(metric)
          known = @sides.flatten.first.key?(metric.name)
          key = known ? metric.name : :"#{metric.family}_mean"
          @widenings[key] ||= Math.sqrt(inflation(series(key)))
        end

        private

        def series(key)
          values = @sides.map { |blocks| blocks.map { |figures| figures[key].to_f } }
          if values.flatten.all?(&:positive?)
            values = values.map { |side| side.map { |value| Math.log(value) } }
          end
          @paired ? [values.transpose.map { |before, after| after - before }] : values
        end

        # Variance of a mean, relative to independent blocks of the same spread.
        def inflation(series)
          blocks = series.sum(&:size).fdiv(series.size)
          correlation = correlation(series, blocks)
          mean = 1 + 2 * (1...blocks.to_i).sum { |lag| (1 - lag / blocks) * correlation**lag }
          mean / ((blocks - mean) / (blocks - 1))
        end

        def correlation(series, blocks)
          centered = series.map { |values| values.map { |value| value - values.sum / values.size } }
          squares = centered.sum { |values| values.sum { |value| value**2 } }
          return 0.0 if squares.zero?
          products = centered.sum { |values| values.each_cons(2).sum { |one, other| one * other } }
          estimate = products / squares
          (estimate + (1 + 3 * estimate) / blocks).clamp(0.0, MOST)
        end
      end
    end

    class BlockBootstrap
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
