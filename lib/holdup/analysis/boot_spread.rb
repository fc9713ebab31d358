# frozen_string_literal: true

module Holdup
  module Analysis
    # A boot is a draw: processes of one setting differ by their memory layout, by what was compiled, and by
    # which requests came first. The same requests take longer in one than in another, at the same time and on
    # the same machine, and a restart draws anew.
    #
    # Each process is compared with all of its setting over the same time, series by series, so that neither
    # another mix nor the machine's speed counts. Where no two ran at the same time, it is compared with all
    # of them, and the machine's drift counts too. What its blocks of time differ from each other is chance,
    # and is taken out of the variance between processes.
    #
    # A few processes say little about a variance, so theirs is shrunk towards one that is assumed, which
    # counts as much as ASSUMED_FREEDOM + 1 processes.
    # Sources: random effects by the method of moments (DerSimonian & Laird, Meta-analysis in clinical trials,
    # Controlled Clinical Trials 7, 1986); shrunk variances and their degrees of freedom (Smyth, Linear models
    # and empirical Bayes methods, Statistical Applications in Genetics 3, 2004).
    class BootSpread
      # Equal boots of an application differed by 5 % in the median of 20 pairs, by 16 % at most
      # (docs/measurements/comparisons.md), those of another by 12 %.
      ASSUMED = 0.1
      ASSUMED_FREEDOM = 4
      # Where the GVL is little used, waits grow with the square of the time for which requests hold it.
      WAITS = 2
      # The 90 % interval of a normal distribution ends so many standard deviations from its middle.
      NORMAL = 1.645
      # Lengths of blocks of time, and how many of them there have to be.
      BLOCKS_S = [600, 300, 120, 60].freeze
      ENOUGH_BLOCKS = 4
      # Requests or jobs of a process in a block; fewer are mostly chance.
      FEWEST_UNITS = 10

      # Name => what processes are compared by, ns of a UnitSample.
      MEASURES = {
        running: :running_ns.to_proc,
        cpu: :cpu_ns.to_proc,
        gc: :gc_ns.to_proc,
        wall: :wall_ns.to_proc,
        response: ->(unit) { unit.queued_ns.to_i + unit.wall_ns },
        wait: ->(unit) { unit.queued_ns.to_i + unit.stalled_ns },
        stalled: :stalled_ns.to_proc
      }.freeze
      WAITING = %i[wait stalled].freeze
      # Times that are idle in part, and the waits that are in them.
      WHOLE = {wall: :stalled, response: :wait}.freeze

      # - `deviation`: standard deviation of the logarithm of a process's times; `freedom`: its degrees of
      #   freedom
      # - `found`: what the processes alone show, nil where they show nothing; `processes`: that were compared
      SpreadEstimate = Data.define(:deviation, :freedom, :found, :processes) do
        # @return [SpreadEstimate] without any processes
        def self.assumed(deviation)
          new(deviation:, freedom: BootSpread::ASSUMED_FREEDOM, found: nil, processes: 0)
        end

        def assumed? = found.nil?

        # @param before [Numeric] processes that were recorded
        # @param after [Numeric] processes that will be booted
        # @return [Float] a share by which the mean of these differs from that of the recorded ones in 90 %
        #   of all boots, at most
        def share(before, after)
          BootSpread::NORMAL * deviation_of_means(before, after)
        end

        # @param random [Random]
        # @return [Float] factor by which the mean of the new processes may differ, for one round of trials
        def factor(random, before, after)
          radius = Math.sqrt(-2 * Math.log(1 - random.rand))
          Math.exp(deviation_of_means(before, after) * radius * Math.cos(2 * Math::PI * random.rand))
        end

        private

        # As wide as Student's distribution, because the deviation itself is uncertain.
        def deviation_of_means(before, after)
          deviation * Math.sqrt((1.0 / before + 1.0 / after) * freedom / (freedom - 2))
        end
      end

      # @param unit_samples [Enumerable<UnitSample>] warm ones, of any settings
      # @param measure [Symbol] of MEASURES
      def initialize(unit_samples, measure)
        @unit_samples = unit_samples
        @measure = measure
      end

      # @return [SpreadEstimate]
      def call
        groups = @unit_samples.group_by(&:setting).each_value.flat_map do |own|
          ProcessTimes.new(own, MEASURES.fetch(@measure)).groups
        end
        groups.empty? ? SpreadEstimate.assumed(assumed) : shrunk(groups)
      end

      private

      # Of whole times, what Ruby does differs from boot to boot, and idle time does not.
      # @return [Float] standard deviation of the logarithm
      def assumed
        return ASSUMED * (WAITING.include?(@measure) ? WAITS : 1) unless WHOLE.key?(@measure)
        whole, running, waits = [@measure, :running, WHOLE.fetch(@measure)].map { |measure| total(measure) }
        whole.positive? ? ASSUMED * (running + WAITS * waits) / whole : ASSUMED
      end

      def total(measure)
        @unit_samples.sum(0.0) { |unit| MEASURES.fetch(measure).call(unit) * unit.weight }
      end

      # @param groups [Array<ComparedProcesses>]
      def shrunk(groups)
        freedom = groups.sum(&:freedom)
        information = groups.sum(&:information)
        chance = freedom / information
        between = [(groups.sum(&:heterogeneity) - freedom) / information, 0.0].max
        usual = assumed**2
        # Where chance is as large as what is looked for, processes say less.
        known = freedom * (usual / (usual + chance))**2
        variance = (ASSUMED_FREEDOM * usual + known * between) / (ASSUMED_FREEDOM + known)
        SpreadEstimate.new(deviation: Math.sqrt(variance), freedom: ASSUMED_FREEDOM + known,
          found: Math.sqrt(between), processes: groups.sum(&:processes))
      end

      # Processes that were compared with each other: a mean logarithm for each, and how exact it is.
      # - `means`: by process; `weights`: 1 / variance by chance
      ComparedProcesses = Data.define(:means, :weights) do
        def processes = means.size

        def freedom = means.size - 1

        # Cochran's Q: as large as `freedom` where processes differ by chance alone.
        def heterogeneity
          middle = weights.zip(means).sum { |weight, mean| weight * mean } / weights.sum
          weights.zip(means).sum { |weight, mean| weight * (mean - middle)**2 }
        end

        # By how much the heterogeneity grows with the variance between processes.
        def information
          weights.sum - weights.sum { |weight| weight**2 } / weights.sum
        end
      end

      # What the processes of one setting took, against what they would have taken if they were alike.
      class ProcessTimes
        # @param unit_samples [Array<UnitSample>] of one setting
        # @param measure [#call]
        def initialize(unit_samples, measure)
          @measure = measure
          @blocks = unit_samples.group_by { |unit| unit.start_ns / NS / length_s(unit_samples) }.values
          @all = unit_samples
        end

        # @return [Array<ComparedProcesses>] empty where fewer than two processes can be compared
        def groups
          together = connected(logs(@blocks.to_h { |block| [block, block] }))
          together.any? ? together : one_by_one
        end

        private

        def length_s(unit_samples)
          @length_s ||= begin
            first, last = unit_samples.map(&:start_ns).minmax
            BLOCKS_S.find { |seconds| (last - first) / NS >= ENOUGH_BLOCKS * seconds } || BLOCKS_S.last
          end
        end

        def process(unit) = [unit.host, unit.process]

        # @param references [Hash{Array<UnitSample> => Array<UnitSample>}] by block, what it is compared with
        # @return [Array<Hash{Array => Float}>] logarithms by process, of each block
        def logs(references)
          references.map do |block, reference|
            usual = usual(reference)
            shared = block.select { |unit| usual[unit.series]&.positive? }.group_by { |unit| process(unit) }
            enough = shared.select { |_, own| own.size >= FEWEST_UNITS && total(own).positive? }
            enough.transform_values { |own| Math.log(total(own) / expected(own, usual)) }
          end
        end

        # @return [Hash{Series => Float}] mean of each series that several processes have
        def usual(units)
          shared = units.group_by(&:series).select { |_, own| own.uniq { |unit| process(unit) }.size > 1 }
          shared.transform_values { |own| total(own) / own.sum(&:weight) }
        end

        def total(units) = units.sum { |unit| @measure.call(unit) * unit.weight }.to_f

        def expected(units, usual)
          units.sum { |unit| usual.fetch(unit.series) * unit.weight }
        end

        # Processes are connected that ran in the same block, and those that each of them ran with.
        # @return [Array<ComparedProcesses>]
        def connected(logs)
          logs = logs.select { |block| block.size > 1 }
          sets = logs.reduce([]) do |known, block|
            own, others = known.partition { |set| set.intersect?(block.keys) }
            [*others, own.flatten(1) | block.keys]
          end
          compared(logs, sets, levels: logs.size - sets.size)
        end

        # The speed of the machine then counts too.
        def one_by_one
          logs = logs(@blocks.to_h { |block| [block, @all] })
          found = logs.flat_map(&:keys).uniq
          (found.size > 1) ? compared(logs, [found], levels: 0) : []
        end

        # @param sets [Array<Array>] of processes
        # @param levels [Integer] that were taken out of the blocks
        def compared(logs, sets, levels:)
          by_process = logs.flat_map(&:to_a).group_by(&:first).transform_values { |own| own.map(&:last) }
          means = by_process.transform_values { |own| own.sum / own.size }
          freedom = by_process.values.sum { |own| own.size - 1 } - levels
          return [] unless freedom.positive?
          squares = by_process.sum { |process, own| own.sum { |log| (log - means[process])**2 } }
          chance = [squares / freedom, 1e-12].max
          sets.map do |set|
            weights = set.map { |process| by_process[process].size / chance }
            ComparedProcesses.new(means: means.values_at(*set), weights:)
          end
        end
      end
      private_constant :ComparedProcesses, :ProcessTimes
    end
  end
end
