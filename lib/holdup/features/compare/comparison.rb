# frozen_string_literal: true

module Holdup
  module Compare
    # Two recordings compared: which settings differ, how each figure differs and how certain that is, and
    # which endpoints caused it. Percentiles come from merged histograms, each endpoint counts on both sides
    # as often as before, and intervals come from resampling blocks of time.
    #
    #   comparison = Holdup::Compare::Comparison.new(before, after)
    #   comparison.verdict.key                     # => :better
    #   comparison.estimates[:wall_p95].interval   # => -0.31..-0.22
    class Comparison
      # Shifts of the mix, and shares of requests and jobs left out: smaller ones are not worth a sentence.
      MIX = 0.02
      LEFT_OUT = 0.01

      attr_reader :before, :after

      # @param seed [Integer] the same seed gives the same intervals
      # @param percentiles [Array<Symbol>] of BlockCells::SPREADS; they take most of the computing time
      # @param blocks [BlockBootstrap::TimeBlocks, nil] nil: as long as the recordings allow
      # @param turns [Boolean] whether each block has a turn of both sides, one after the other, on the same
      #   processes: these are compared in pairs, see PairedBlocks
      def initialize(before, after, rounds: BlockBootstrap::ROUNDS, seed: 1, percentiles: %i[wall wait],
        blocks: nil, turns: false)
        @before = before
        @after = after
        @percentiles = percentiles
        @blocks = blocks
        @turns = turns
        @bootstrap = BlockBootstrap.new(*sizes, paired: paired?, rounds:, seed:)
      end

      def any?
        sides.all? { |side| side.units.positive? }
      end

      def change
        @change ||= Analysis::SettingDifferences.new(before.settings, after.settings)
      end

      # Whether both sides were measured at the same time.
      def paired? = blocks.paired?

      def block_s = blocks.length_s

      # See BlockBootstrap::TimeBlocks::HELD.
      def held = blocks.held

      def sizes
        @sizes ||= [0, 1].map { |side| blocks.numbers(side).size }
      end

      # @return [Hash{Symbol => Estimate}] one for each Metric
      def estimates
        @estimates ||= Metric::ALL.transform_values { |metric| estimate(metric) }
      end

      # @param metric [Metric] one of ALL, or another whose name is a key of ResampledSide#figures
      # @return [Estimate]
      def estimate(metric)
        @known_estimates ||= {}
        @known_estimates[metric] ||= estimate_of(metric)
      end

      # Whether both sides know the figure and it is not zero on both; needs no resampling.
      # @param metric [Metric] as of `estimate`, but neither of memory nor of the CPU of processes
      def occurs?(metric)
        estimate = measured_estimate(metric)
        estimate.known? && [estimate.before, estimate.after].any?(&:positive?)
      end

      # @return [Array<Array<Hash{Symbol => Float, nil}>>] means of each block, by side; no percentiles
      def block_figures
        @block_figures ||= cells.zip(sizes).map { |cells, size| figures_by_block(cells, size) }
      end

      def verdict(metrics = ComparisonVerdict::METRICS)
        ComparisonVerdict.new(estimates, metrics:).call
      end

      # Endpoints that moved the mean elapsed time most come first.
      def contributions
        @contributions ||= begin
          moves = resample { |sides| BlockBootstrap::Contribution.moves(sides) }
          BlockBootstrap::Contribution.all(measured, moves, @bootstrap, widening: widening(:wall_mean))
        end
      end

      # Methods that make others wait, those first whose stall in each unit differs most.
      # @return [Array<MethodChange>]
      def method_changes
        @method_changes ||= MethodChange.all(sides, **of_stall)
      end

      # For whom requests and jobs wait for the GVL, those pairs first that differ most.
      # @return [Array<PairChange>]
      def pair_changes
        @pair_changes ||= PairChange.all(sides, **of_stall)
      end

      # Relative change of the mean elapsed time that the other mix of endpoints alone explains.
      def mix_effect
        adjusted = figures.last[:wall_mean]
        unadjusted = measured.last.figures(measured.last.units)[:wall_mean]
        (adjusted && unadjusted) ? unadjusted / adjusted - 1 : 0.0
      end

      # Share of each side's units whose endpoints the other side lacks.
      def left_out = strata.left_out

      # @return [Float, nil] how much longer the machine took for the same work after than before, see
      #   Analysis::Machine::MachineSpeed; nil while unknown
      def machine_slower
        after.machine_speed.slower_than(before.machine_speed)
      end

      # What both sides differ by because they are other processes, of elapsed time.
      # @return [BootDraw, nil] nil where they have the same processes, or these are unknown
      def boots = boot_draws[:wall]

      def memory
        @memory ||= ProcessAges::MemoryByAge.new(before.samples, after.samples)
      end

      def ages
        @ages ||= ProcessAges.rows(sides.map(&:unit_samples))
      end

      # @return [ComparisonResult] all of it, computed
      def result = ComparisonResult.of(self)

      private

      # What parts of the stall are resampled with.
      def of_stall
        {blocks:, numbers: [0, 1].map { |side| blocks.numbers(side) }, bootstrap: @bootstrap,
         widening: widening(:stalled_mean)}
      end

      def sides = [before, after]

      def estimate_of(metric)
        case metric.name
        when :pss, :uss then memory.estimate(metric)
        when :cpu_share then cpu_share(metric)
        when :cpu_process then sides.any?(&:narrow?) ? unknown(metric) : resampled_estimate(metric)
        else (@turns && paired_estimate(metric)) || resampled_estimate(metric)
        end
      end

      # Of turns in pairs, the side after is what it would be at the other side's speed, arrivals and mix.
      # @return [Estimate, nil] nil where blocks have no such figure, or most of them differ in another
      #   direction than all together: then what is better in the usual turn is worse in bad ones
      def paired_estimate(metric)
        estimate = measured_estimate(metric)
        found = estimate.relative? && pairs.change(metric)
        return if !found || found.against?(estimate.change)
        estimate.with(after: estimate.before * Math.exp(found.change), deviation: found.deviation,
          freedom: found.freedom)
      end

      def pairs
        @pairs ||= begin
          slowness = sides.each_with_index.map do |side, index|
            blocks.numbers(index).map { |number| side.slowness(number * block_s, (number + 1) * block_s) }
          end
          PairedBlocks.new(cells, slowness:, unit_samples: samples_by_block)
        end
      end

      # @return [Array<Array<Array<UnitSample>>>] by side and block
      def samples_by_block
        sides.each_with_index.map do |side, index|
          found = side.unit_samples.group_by { |unit_sample| blocks.number(unit_sample.start_ns / NS) }
          blocks.numbers(index).map { |number| found.fetch(number, []) }
        end
      end

      def blocks
        @blocks ||= BlockBootstrap::TimeBlocks.new(before.windows, after.windows)
      end

      def strata
        @strata ||= BlockCells::Strata.new(before.windows, after.windows)
      end

      def cells
        @cells ||= sides.each_with_index.map do |side, index|
          BlockCells.new(side, strata:, blocks:, numbers: blocks.numbers(index), spreads: @percentiles)
        end
      end

      # Both sides with each block once.
      def measured
        @measured ||= cells.zip(sizes).map do |cells, size|
          BlockCells::ResampledSide.new(cells, Array.new(size, 1))
        end
      end

      def figures
        @figures ||= figures_of(measured)
      end

      # Both sides have the mix of endpoints that the side before has in the same round.
      def figures_of(resampled)
        units = resampled.first.units
        resampled.map { |side| side.figures(units, percentiles: @percentiles) }
      end

      # @return [Array<Array<Hash>>] figures of both sides, by round
      def rounds
        @rounds ||= resample { |sides| figures_of(sides) }
      end

      # The same draws each time.
      # @yieldparam sides [Array<BlockCells::ResampledSide>] both
      # @return [Array] what the block returned, by round
      def resample
        @bootstrap.rounds do |*times|
          yield Array.new(2) { |side| BlockCells::ResampledSide.new(cells[side], times[side]) }
        end
      end

      def unknown(metric)
        Estimate.new(metric:, before: nil, after: nil)
      end

      # CPU % as dashboards show it: what the processes used of the vCPUs. It follows the traffic, and where
      # an autoscaler keeps it, it is the same before and after. So it has no interval.
      def cpu_share(metric)
        before, after = sides.map { |side| cpu_share_of(side) }
        Estimate.new(metric:, before:, after:)
      end

      def cpu_share_of(side)
        members = Analysis::ProcessReport.new(side.samples, from_s: side.from_s, to_s: side.to_s).members
        cpus = Analysis::ProcessReport::ServerProcesses.mean_sum(members, &:cpu_share)
        vcpus = side.settings.filter_map { |setting| setting["vcpus"] }.last
        cpus / vcpus / members.map(&:host).uniq.size if cpus && vcpus
      end

      def resampled_estimate(metric)
        estimate = measured_estimate(metric)
        pairs = rounds.map { |figures| figures.map { |side| side[metric.name] } }
        return estimate if !estimate.known? || pairs.empty? || pairs.flatten.any?(nil)
        deviation, freedom = @bootstrap.deviation(pairs, ratio: estimate.relative?)
        estimate = estimate.with(deviation: deviation * autocorrelation.widening(metric), freedom:)
        draw = boot_draws[metric.family] if estimate.relative?
        draw ? draw.widened(estimate) : estimate
      end

      # The estimate has no interval.
      def measured_estimate(metric)
        before, after = figures.map { |side| side[metric.name] }
        Estimate.new(metric:, before:, after:)
      end

      def boot_draws = @boot_draws ||= BootDraw::BootDraws.new(sides)

      def widening(name)
        @bootstrap.possible? ? autocorrelation.widening(Metric::ALL[name]) : 1.0
      end

      def autocorrelation
        @autocorrelation ||= BlockBootstrap::Autocorrelation.new(block_figures, paired: paired?)
      end

      def figures_by_block(cells, size)
        Array.new(size) do |block|
          only = Array.new(size) { |index| (index == block) ? 1 : 0 }
          BlockCells::ResampledSide.new(cells, only).figures(measured.first.units)
        end
      end

      # A figure that both sides have.
      # - `unit`: :ns, :share, :bytes, :per_second or :count
      # - `better`: :less, :more, or nil where neither is (throughput is demand, not capacity)
      # - `resolution`: a smaller relative difference may come from the buckets of histograms alone
      # - `least`, `least_share`: a smaller, even certain difference is irrelevant (in `unit`; relative)
      class Metric < Data.define(:name, :unit, :better, :resolution, :least, :least_share)
        # Half of a bucket.
        BUCKET = 0.022
        QUANTILES = {p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99}.freeze
        # Least relevant difference by family, as in docs/guide/compare.md. Users and CPUs don't notice less
        # time.
        LEAST = {wall: 20 * US, wait: 20 * US, stalled: 20 * US, cpu: 5 * US, gc: 5 * US,
                 pss: 1_000_000, uss: 1_000_000, errors: 0.0005, throughput: 0.01}.freeze
        LEAST_SHARE = 0.01

        # :wall for all percentiles of elapsed time.
        def self.family(name)
          name.to_s[/\A[a-z]+/].to_sym
        end

        def self.percentiles(family)
          QUANTILES.keys.map { |name| new(name: :"#{family}_#{name}", unit: :ns, resolution: BUCKET) }
        end
        private_class_method :percentiles

        def initialize(name:, unit:, better: :less, resolution: 0.0, least: nil, least_share: LEAST_SHARE)
          super(name:, unit:, better:, resolution:, least_share:,
                least: least || LEAST.fetch(self.class.family(name)))
        end

        def family = self.class.family(name)

        ALL = [
          *percentiles(:wall),
          new(name: :wall_mean, unit: :ns),
          *percentiles(:wait),
          new(name: :wait_mean, unit: :ns),
          new(name: :stalled_mean, unit: :ns),
          new(name: :stalled_p99, unit: :ns, resolution: BUCKET),
          new(name: :cpu_unit, unit: :ns),
          new(name: :cpu_process, unit: :ns),
          new(name: :cpu_share, unit: :share, better: nil, least: 0.002),
          new(name: :pss, unit: :bytes),
          new(name: :uss, unit: :bytes),
          new(name: :gc_unit, unit: :ns),
          new(name: :errors, unit: :share),
          new(name: :throughput, unit: :per_second, better: nil)
        ].to_h { |metric| [metric.name, metric] }.freeze
        FAMILIES = ALL.values.map(&:family).uniq.freeze
      end

      # The one answer: better, worse, both, or no difference that these recordings can show. The more figures
      # it looks at, the more it asks of each: with three at 95 %, every seventh comparison of equals would
      # find something.
      class ComparisonVerdict
        METRICS = %i[wall_p50 wall_p95 cpu_unit].freeze

        # `key`: :better :worse :both :changed :none :unknown; `moved`, `unmoved`: Array of Estimate
        ComparisonAnswer = Data.define(:key, :moved, :unmoved, :level)

        def initialize(estimates, metrics: METRICS)
          @estimates = estimates.values_at(*metrics).compact.select(&:known?)
        end

        def call
          judged = @estimates.reject { |estimate| estimate.verdict(level).nil? }
          moved, unmoved = judged.partition { |estimate| estimate.verdict(level) != :none }
          verdicts = moved.map { |estimate| estimate.verdict(level) }.uniq
          ComparisonAnswer.new(key: judged.empty? ? :unknown : key(verdicts), moved:, unmoved:, level:)
        end

        private

        def key(verdicts)
          return :none if verdicts.empty?
          return :both if verdicts.include?(:better) && verdicts.include?(:worse)
          (verdicts - [:changed]).first || :changed
        end

        # Bonferroni's correction.
        def level
          1 - (1 - Estimate::LEVEL) / [@estimates.size, 1].max
        end
      end
    end
  end
end
