# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # How well explanations reproduce what was measured under the recorded setting: the mean response, its
      # 95th percentile, waits, hand-offs and utilisation.
      #
      # A difference counts against its standard deviation: what the measured figure would vary by in other
      # minutes (block bootstrap), what a short replay varies by, and what no replay describes. Response,
      # percentile and waits rise and fall together, so they count as one figure.
      # Source: importance sampling with a synthetic likelihood (Wood 2010; Kong 1992 for the effective size).
      class ExplanationFit
        # Share of the response that replays with the right figures may be off by: half of what grade A
        # allows.
        MODEL = 0.05
        # The same, of the utilisation, and of the hand-offs of a request.
        UTILISATION = 0.025
        HANDOFF = 0.2
        ROUNDS = 60
        TIMES = %i[response p95 wait].freeze

        # @param weights [Array<Float>] of the explanations, not negative
        # @return [Float] number of equally likely explanations that would say as much
        def self.effective(weights)
          squares = weights.sum { |weight| weight**2 }
          squares.positive? ? weights.sum**2 / squares : 0.0
        end

        # @param logarithms [Array<Float>] of weights
        # @return [Array<Float>] weights, of which the largest is 1
        def self.weights(logarithms)
          most = logarithms.max
          logarithms.map { |log| Math.exp(log - most) }
        end

        # Draws so many with these weights: each as often as its weight says, as nearly as possible.
        # @return [Array<Integer>] indices, in any order
        def self.draw(weights, count, random)
          sample = WeightedSample.new(weights.each_with_index.map { |weight, index| [index, weight] })
          sample.spread(count, random)
        end

        # @param measured [SelfTest::MeasuredFigures]
        # @param blocks [Array<Array<UnitSample>>] units of each block of the recording, as they were measured
        # @param units [Numeric] number of measured units
        def initialize(measured, blocks:, units:, seed: 1)
          @measured = measured
          queued = !measured.queued_ns.nil?
          @blocks = blocks.map { |unit_samples| BlockTimes.new(unit_samples, queued:) }
          @units = units
          @seed = seed
        end

        # @param replayed [SelfTest::MeasuredFigures]
        # @param units [Integer] number of replayed units
        # @return [Float] logarithm of the likelihood
        def call(replayed, units:)
          chance = 1 + @units.fdiv(units)
          squares = TIMES.map { |name| square(name, replayed, chance) }
          -(squares.sum / squares.size + utilisation(replayed, chance) + handoff(replayed)) / 2
        end

        private

        def square(name, replayed, chance)
          response_ns = @measured.response_ns
          ours, theirs = [@measured, replayed].map { |figures| of(name, figures) }
          return square_of_ratio(ours, theirs, chance) if name == :p95
          (theirs - ours)**2 / (deviations.fetch(name)**2 * chance + (MODEL * response_ns)**2)
        end

        # Percentiles vary by factors.
        def square_of_ratio(ours, theirs, chance)
          variance = (deviations.fetch(:p95) / ours)**2 * chance + MODEL**2
          Math.log([theirs, 1].max.fdiv([ours, 1].max))**2 / variance
        end

        def of(name, figures)
          case name
          when :response then figures.response_ns
          when :p95 then figures.p95_ns
          else figures.queued_ns.to_i + figures.stalled_ns
          end
        end

        def utilisation(replayed, chance)
          variance = (deviations[:held] * @measured.utilisation)**2 * chance + UTILISATION**2
          (replayed.utilisation - @measured.utilisation)**2 / variance
        end

        # The system counts the time between two holders exactly, so only what replays leave out counts.
        def handoff(replayed)
          ours, theirs = @measured.handoff_ns, replayed.handoff_ns
          return 0.0 unless ours && theirs
          (theirs - ours)**2 / ((HANDOFF * ours)**2 + (MODEL / 2 * @measured.response_ns)**2)
        end

        # @return [Hash{Symbol => Float}] standard deviations: ns, and of the time held as a share
        def deviations
          @deviations ||= begin
            random = Random.new(@seed)
            drawn = Array.new(ROUNDS) do
              BlockTimes.figures(Array.new(@blocks.size) { @blocks[random.rand(@blocks.size)] })
            end
            found = drawn.first.keys.to_h { |name| [name, deviation(drawn.map { |one| one.fetch(name) })] }
            found.merge(held: found[:held] / [drawn.sum { |one| one.fetch(:held) } / ROUNDS, 1.0].max)
          end
        end

        # Of few blocks, a bootstrap shows too little.
        def deviation(values)
          mean = values.sum / values.size
          blocks = @blocks.size
          few = (blocks > 1) ? Math.sqrt(blocks / (blocks - 1.0)) : 2.0
          few * Math.sqrt(values.sum { |value| (value - mean)**2 } / values.size)
        end

        # Sums of a block.
        class BlockTimes
          attr_reader :weight, :response_ns, :wait_ns, :held_ns, :responses

          # @param blocks [Array<BlockTimes>]
          # @return [Hash{Symbol => Float}]
          def self.figures(blocks)
            weight = blocks.sum(&:weight)
            held = blocks.sum(&:held_ns) / blocks.size
            {response: blocks.sum(&:response_ns) / weight, wait: blocks.sum(&:wait_ns) / weight,
             p95: Histogram.sum(blocks.map(&:responses)).quantile(SelfTest::P95).to_f, held:}
          end

          def initialize(units, queued:)
            @weight = units.sum(0.0, &:weight)
            queue = ->(unit) { queued ? unit.queued_ns.to_i : 0 }
            @response_ns = units.sum { |unit| (queue.call(unit) + unit.wall_ns) * unit.weight }
            @wait_ns = units.sum { |unit| (queue.call(unit) + unit.stalled_ns) * unit.weight }
            @held_ns = units.sum { |unit| unit.running_ns * unit.weight }
            @responses = Histogram.of(units.map { |unit| queue.call(unit) + unit.wall_ns })
          end
        end
      end
    end
  end
end
