# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # A boot is a draw: processes of one setting differ by their memory layout, by what was compiled, and by
      # which requests came first. Their units hold the GVL for longer in one than in another, at the same
      # time and on the same machine, and a restart draws anew.
      #
      # Each process is compared with all over the same ten minutes, series by series, so that neither another
      # mix nor the machine's speed counts. What its blocks differ from each other is chance, and is taken out
      # of the variance between processes. Source: random effects in a one-way layout, by the method of
      # moments (Cochran 1954).
      class BootSpread
        BLOCK_S = SampleBlock::SECONDS
        # Units of a process in ten minutes, and ten minutes of a process; fewer are mostly chance.
        FEWEST_UNITS = 30
        FEWEST_BLOCKS = 3

        # `deviation`: standard deviation of the logarithm of a process's times, 0.0 where chance explains it;
        # `processes`: that were compared
        SpreadEstimate = Data.define(:deviation, :processes) do
          # @param before [Numeric] processes that were recorded
          # @param after [Numeric] processes that will be booted
          # @return [Float] a share by which the mean of these differs from that of the recorded ones in 90 %
          #   of all boots, at most
          def share(before, after)
            WeightedSample::NORMAL * deviation_of_means(before, after)
          end

          # @param random [Random]
          # @return [Float] factor by which the mean of the new processes may differ, for one round of trials
          def factor(random, before, after)
            radius = Math.sqrt(-2 * Math.log(1 - random.rand))
            Math.exp(deviation_of_means(before, after) * radius * Math.cos(2 * Math::PI * random.rand))
          end

          private

          def deviation_of_means(before, after) = deviation * Math.sqrt(1.0 / before + 1.0 / after)
        end

        # @param unit_samples [Array<UnitSample>] warm ones of one setting
        def initialize(unit_samples)
          @unit_samples = unit_samples
        end

        # @return [SpreadEstimate, nil] nil unless two processes were recorded for long enough
        def call
          known = ratios.values.select { |logs| logs.size >= FEWEST_BLOCKS }
          return if known.size < 2
          chance = known.sum { |logs| variance(logs) / logs.size } / known.size
          all = variance(known.map { |logs| mean(logs) })
          between = (all > chance * largest_by_chance(known.size - 1)) ? all - chance : 0.0
          SpreadEstimate.new(deviation: Math.sqrt(between), processes: known.size)
        end

        # @param gain [Float] of another setting; `alone`: 90 % of it without what boots differ by
        # @param before [Numeric] processes that were recorded; `after`: that will be booted
        # @yieldparam factor [Float] by which units hold the GVL longer in these
        # @yieldreturn [Float] the gain then
        # @return [WidenedGain, nil] nil where fewer than two processes were recorded for long enough, or
        #   chance explains what they differ by
        def widened(gain, alone, before:, after:)
          spread = call
          return unless spread&.deviation&.positive?
          share = spread.share(before, after)
          here = yield(1.0)
          slower, faster = [share, -share].map { |log| gain + yield(Math.exp(log)) - here }
          WidenedGain.of(spread, alone, gain:, slower:, faster:)
        end

        private

        # @return [Hash{Array => Array<Float>}] of each process, a logarithm for each ten minutes
        def ratios
          found = Hash.new { |all, process| all[process] = [] }
          @unit_samples.group_by { |unit| unit.start_ns / NS / BLOCK_S }.each_value do |block|
            by_process(block).each { |process, log| found[process] << log }
          end
          found
        end

        # @return [Hash{Array => Float}] of the processes that had enough of the units that others had too
        def by_process(block)
          usual = block.group_by(&:series).select { |_, same| same.uniq { |unit| process(unit) }.size > 1 }
            .transform_values { |same| mean_of(same) }
          shared = block.select { |unit| usual[unit.series]&.positive? }.group_by { |unit| process(unit) }
          enough = shared.select { |_, own| own.size >= FEWEST_UNITS }
          enough.transform_values do |own|
            expected = own.sum { |unit| usual.fetch(unit.series) * unit.weight }
            Math.log([own.sum { |unit| unit.running_ns * unit.weight }, 1].max / expected)
          end
        end

        # A variance of processes that are alike is at most so many times what is expected, in 95 % of cases:
        # a difference that chance explains widens nothing. Source: Wilson and Hilferty 1931.
        def largest_by_chance(freedom)
          spread = 2.0 / (9 * freedom)
          (1 - spread + WeightedSample::NORMAL * Math.sqrt(spread))**3
        end

        def process(unit) = [unit.host, unit.process]

        def mean_of(units)
          units.sum { |unit| unit.running_ns * unit.weight } / units.sum(&:weight)
        end

        def mean(values) = values.sum / values.size

        def variance(values)
          middle = mean(values)
          values.sum { |value| (value - middle)**2 } / (values.size - 1)
        end
      end

      # What that does to the gain of another setting.
      class BootSpread
        # - `spread`: SpreadEstimate; `alone`: 90 % of the gain without it; `interval`: with it
        WidenedGain = Data.define(:spread, :alone, :interval) do
          # Independent causes: their distances from the middle add up like standard deviations.
          # @param slower [Float] gain if the new processes are slower than the recorded ones; `faster`: if
          #   they are faster
          def self.of(spread, alone, gain:, slower:, faster:)
            low, high = [slower, faster].minmax
            begins = gain - Math.hypot(gain - alone.begin, [gain - low, 0.0].max)
            ends = gain + Math.hypot(alone.end - gain, [high - gain, 0.0].max)
            new(spread:, alone:, interval: begins..ends)
          end

          # Whether the draw alone makes a certain gain or loss uncertain.
          def decides?
            gains = [alone, interval].map { |range| range.begin.positive? }
            losses = [alone, interval].map { |range| range.end.negative? }
            [gains, losses].include?([true, false])
          end
        end
      end
    end
  end
end
