# frozen_string_literal: true

module Holdup
  module Analysis
    # Two recordings side by side: what differs in their settings, how each figure differs and how surely, and
    # which endpoints did it. Every percentile is of merged histograms, every endpoint counts on both sides as
    # often as before, and the intervals come from drawing stretches of time anew.
    #
    #   comparison = Holdup::Analysis::Comparison.new(before, after)
    #   comparison.verdict.key                     # => :better
    #   comparison.estimates[:wall_p95].interval   # => -0.31..-0.22
    class Comparison
      # @return [Side]
      attr_reader :before, :after

      # @param before [Side]
      # @param after [Side]
      # @param rounds [Integer] of the bootstrap
      # @param seed [Integer] the same seed, the same intervals
      # @param percentiles [Array<Symbol>] of what they are wanted, of BlockCells::SPREADS: they are most of
      #   the work
      def initialize(before, after, rounds: BlockBootstrap::ROUNDS, seed: 1, percentiles: %i[wall wait])
        @before = before
        @after = after
        @percentiles = percentiles
        @bootstrap = BlockBootstrap.new(*sizes, paired: paired?, rounds:, seed:)
      end

      # @return [Boolean] whether there are units on both sides
      def any?
        sides.all? { |side| side.units.positive? }
      end

      # @return [SettingDifferences] of the settings
      def change
        @change ||= SettingDifferences.new(before.settings, after.settings)
      end

      # @return [Boolean] whether both were measured at the same time
      def paired? = blocks.paired?

      # @return [Integer] seconds of what is drawn anew
      def block_s = blocks.length_s

      # @return [Float, nil] share of its intervals that can be trusted to hold the truth where the load goes
      #   up and down, see Blocks
      def held = blocks.held

      # @return [Array<Integer>] blocks of each side
      def sizes
        @sizes ||= [0, 1].map { |side| blocks.numbers(side).size }
      end

      # @return [Hash{Symbol => Estimate}] one for each Metric
      def estimates
        @estimates ||= Metric::ALL.transform_values { |metric| estimate(metric) }
      end

      # @param metrics [Array<Symbol>] that count
      # @return [ComparisonVerdict::Result]
      def verdict(metrics = ComparisonVerdict::METRICS)
        ComparisonVerdict.new(estimates, metrics:).call
      end

      # @return [Array<Contribution>] those that moved the mean elapsed time most first
      def contributions
        @contributions ||= Contribution.all(draws, rounds.map(&:last), @bootstrap,
          widening: widening(:wall_mean))
      end

      # @return [Float] relative change of the mean elapsed time that the other mix of endpoints alone made;
      #   in no other figure
      def mix_effect
        adjusted, own = [figures.last, draws.last.figures(draws.last.counts, percentiles: [])].map { |found|
          found[:wall_mean]
        }
        (adjusted && own) ? own / adjusted - 1 : 0.0
      end

      # @return [Array<Float>] share of each side's units in endpoints that the other has none of
      def left_out = strata.left_out

      # @return [MemoryByAge]
      def memory
        @memory ||= MemoryByAge.new(before.samples, after.samples)
      end

      # @return [Array<ProcessAges::AgeRow>]
      def ages
        @ages ||= ProcessAges.rows(sides.map(&:profiles))
      end

      private

      def sides = [before, after]

      def blocks
        @blocks ||= TimeBlocks.new(before.windows, after.windows)
      end

      def strata
        @strata ||= Strata.new(before.windows, after.windows)
      end

      def cells
        @cells ||= sides.each_with_index.map { |side, index|
          BlockCells.new(side, strata:, blocks:, numbers: blocks.numbers(index), spreads: @percentiles)
        }
      end

      def draws
        @draws ||= cells.zip(sizes).map { |own, size| ResampledSide.new(own, Array.new(size, 1)) }
      end

      def figures = @figures ||= both(draws)

      # Weighed like before in the same draw.
      def both(draws)
        draws.map { |draw| draw.figures(draws.first.counts, percentiles: @percentiles) }
      end

      def rounds
        @rounds ||= @bootstrap.rounds do |*times|
          drawn = cells.zip(times).map { |own, of_each| ResampledSide.new(own, of_each) }
          [both(drawn), Contribution.moves(drawn)]
        end
      end

      def estimate(metric)
        case metric.name
        when :pss, :uss then memory.estimate(metric)
        when :cpu_share then CpuUse.new(before, after).estimate(metric)
        when :cpu_process then sides.any?(&:narrow?) ? Estimate.new(metric:, before: nil,
          after: nil) : drawn(metric)
        else drawn(metric)
        end
      end

      def persistence
        @persistence ||= Autocorrelation.new(
          cells.zip(sizes).map { |own, size|
            Array.new(size) { |block|
              alone(own, block,
                size)
            }
          }, paired: paired?
        )
      end

      # What a block would be without the others.
      def alone(cells, block, size)
        ResampledSide.new(cells, only(block, size)).figures(draws.first.counts)
      end

      def widening(name)
        @bootstrap.possible? ? persistence.widening(Metric::ALL[name]) : 1.0
      end

      def only(block, size)
        Array.new(size) { |index| (index == block) ? 1 : 0 }
      end

      def between
        @between ||= ProcessVariance.new(*sides.map(&:profiles))
      end

      def drawn(metric)
        found = Estimate.new(metric:, before: figures.first[metric.name], after: figures.last[metric.name])
        pairs = rounds.map { |both, _| both.map { |side| side[metric.name] } }
        return found if !found.known? || pairs.empty? || pairs.flatten.any?(nil)
        deviation, freedom = @bootstrap.deviation(pairs, ratio: found.relative?)
        deviation *= persistence.widening(metric)
        found.with(
          deviation: found.relative? ? Math.sqrt(deviation**2 + between.variance(metric.family)) : deviation, freedom:
        )
      end
    end
  end
end
