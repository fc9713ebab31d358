# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Estimates a CoherencyCost from one recording, in which the number of units in flight varies: by how
      # much each doubling lengthens the running time of every unit.
      #
      # It compares only units that began while their process was busy. After a rest, caches are cold and the
      # CPU sometimes slept, which hides all growth on virtual machines: see ColdStartCost.
      #
      # A regression on a unit's own units in flight finds growth that does not exist (12 % and 33 % in
      # simulations of like and of heavy-tailed units), because long units let others pile up. The number of
      # units when it began does not depend on it, so that is the instrument: see ScoreTest.
      #
      # Where arrivals wait for answers, that number is the same for all units of a moment, and the client
      # chose it: such moments are compared with each other (ClosedLoad). A load test that steps through
      # numbers of connections says most.
      #
      # A machine that is slow by turns lengthens units and lets more of them be in flight. That is taken off
      # before, as far as it is known; what is not known of it widens the intervals: see SpeedEffect.
      #
      # Source: instrumental variables and the test inversion of Anderson and Rubin (1949), with blocks as
      # clusters.
      class CoherencyEstimator
        # Nothing is estimated from fewer units, or from less than so many blocks' worth of variation.
        FEWEST = 200
        FEWEST_BLOCKS = 2
        # Nine hours full of units: more take longer and add hardly any precision.
        MOST = 50_000
        # Caches are warm and the CPU is awake after so short a rest.
        WARM_NS = 2_000_000

        # @param unit_samples [Array<UnitSample>] of one setting, warm, in the order of their starts
        # @param load [ClosedLoad] of them
        # @param speed [SpeedEffect] of the machines on them
        def initialize(unit_samples, load: ClosedLoad.new(unit_samples), speed: SpeedEffect::NONE)
          step = (unit_samples.size / MOST.to_f).ceil
          sampled = (step > 1) ? unit_samples.each_slice(step).map(&:first) : unit_samples
          known = sampled.select(&:concurrency)
          @speed = speed
          @unit_samples = known.map { |unit| speed.at_mean_speed(unit) }
          @closed = closed_units(load, known)
        end

        def overall
          @overall ||= estimate(busy, apart)
        end

        # Cost of a long rest: 0.2: 20 % more.
        def rest
          @rest ||= ColdStartCost.new(@unit_samples, growth: overall).estimate
        end

        # What garbage collections mark costs the same for the second and the tenth unit, which doublings
        # miss. 0.02: each further unit in flight lengthens every unit by 2 %.
        def marking
          @marking ||= if collected.value && apart.value
            collected.of_share(collected_share)
          else
            IntervalEstimate.unknown(collected.units)
          end
        end

        # The cost by which each doubling of units in flight lengthens what units wait for.
        def idle
          @idle ||= run(busy, ScoreTest::CostShape::WaitSteps, @speed.idle, &:idle_ns)
        end

        def cost
          CoherencyCost.new(**growth_terms, cold: rest.for_models, idle_growth: idle.for_models)
        end

        # @return [Hash{Series => IntervalEstimate}] of those with enough units, most running time first
        def series
          @series ||= begin
            enough = busy.group_by(&:series).select { |_, own| own.size >= FEWEST }
            by_time = enough.sort_by { |_, own| -own.sum { |unit| unit.running_ns * unit.weight } }
            by_time.to_h { |series, own| [series, estimate(own)] }
          end
        end

        private

        # Moments with all threads busy do not make a closed load if other units came on their own.
        # @param known [Array<UnitSample>] those of @unit_samples, as they were measured
        def closed_units(load, known)
          units = load.closed? ? load.cells.flat_map(&:unit_samples) : []
          measured = units.to_set.compare_by_identity
          closed = known.each_index.select { |index| measured.include?(known[index]) }
          @unit_samples.values_at(*closed).to_set.compare_by_identity
        end

        def busy
          @busy ||= @unit_samples.select { |unit_sample| unit_sample.rest_ns < WARM_NS }
        end

        # Only the sum of the two terms is known to be above zero.
        def growth_terms
          return {growth: overall.for_models} unless overall.grows? && marking.grows?
          {growth: [apart.value, 0.0].max * (1 - collected_share), marking: marking.value}
        end

        def collected
          @collected ||= solve(busy, ScoreTest::CostShape::PerUnit, &:gc_ns)
        end

        def apart
          @apart ||= apart_of(busy)
        end

        def collected_share
          collected.alone_ns / (collected.alone_ns + apart.alone_ns)
        end

        def estimate(unit_samples, apart = apart_of(unit_samples))
          all = run(unit_samples, &:running_ns)
          return all unless all.value && apart.value
          all.with(gc: all.value - apart.value * apart.alone_ns / all.alone_ns)
        end

        def apart_of(unit_samples)
          run(unit_samples) { |unit_sample| unit_sample.running_ns - unit_sample.gc_ns }
        end

        def run(unit_samples, shape = ScoreTest::CostShape::DoublingSteps, exponent = @speed.running, &time)
          running = unit_samples.select { |unit_sample| time.call(unit_sample).positive? }
          solve(running, shape, exponent, &time)
        end

        # @param exponent [SpeedEffect::SpeedExponent] by which these times follow the machine's slowness
        def solve(unit_samples, shape, exponent = @speed.running, &)
          return IntervalEstimate.unknown(unit_samples.size) if unit_samples.size < FEWEST
          slowness = unit_samples.map { |unit| exponent.deviation * @speed.slowness(unit) } if @speed.varies?
          test = ScoreTest.new(unit_samples, shape, closed: @closed, doubts: slowness, &)
          blocks = test.blocks
          return IntervalEstimate.unknown(unit_samples.size) if blocks < FEWEST_BLOCKS
          IntervalEstimate.of(test, blocks)
        end

        # What a recording says about growth, or about a rest.
        #
        # - `value`: 0.1: each doubling of units in flight lengthens running times by 10 %; nil with too few
        #   units
        # - `low`, `high`: the 90 % interval, within LOWEST and HIGHEST
        # - `gc`: the part of `value` that is garbage collection; nil if unknown
        # - `alone_ns`: mean running time of a unit that is alone
        # - `spread`: by how much concurrency varied, apart from what the units themselves cause, in
        #   doublings; `units`: how many were compared; `blocks`: how many equal blocks of time would say as
        #   much
        # - `between_levels`: share of the evidence that comes from comparing moments of a closed load
        IntervalEstimate = Data.define(:value, :low, :high, :gc, :alone_ns, :spread, :units, :blocks,
          :between_levels) do
          def self.unknown(units)
            new(value: nil, low: self::LOWEST, high: self::HIGHEST, gc: nil, alone_ns: nil, spread: 0.0,
              units:,
              blocks: 0.0, between_levels: 0.0)
          end

          def self.of(test, blocks)
            lowest = [self::LOWEST, -0.9 / [test.amounts.max, 1.0].max].max
            interval = ScoreTest::BlockStatistics::ScoreInterval
            value, low, high = interval.of(lowest, test.highest, blocks, doubt: test.doubt) do |growth|
              test.scores(growth)
            end
            # Scores beyond their errors for every growth: the number in flight hardly varies, and says
            # nothing.
            low, high = lowest, test.highest if low == high
            new(value:, low:, high:, gc: nil, alone_ns: test.alone_ns(value), spread: test.spread,
              units: test.size, blocks:, between_levels: test.between_levels)
          end

          # The estimate for a whole if only that share of it grows.
          def of_share(share)
            with(value: value * share, low: low * share, high: high * share, alone_ns: alone_ns / share)
          end

          # Whether the recording varies enough to distinguish growths that matter.
          def enough?
            !value.nil? && high - low <= self.class::WIDEST
          end

          # Whether it certainly costs something.
          def grows?
            !value.nil? && low.positive?
          end

          # @return [Float, nil] the part that is not garbage collection: what switching costs caches
          def rest
            gc && value - gc
          end

          # @return [Float] 0.0 if the growth is unknown or may be zero
          def for_models
            grows? ? value : 0.0
          end
        end

        IntervalEstimate::LOWEST = -0.2
        IntervalEstimate::HIGHEST = 1.0
        # Growths of 0 and 10 % differ by 23 % of capacity at 5 threads.
        IntervalEstimate::WIDEST = 0.1
      end

      # Cost of a unit's start after its process has rested: other work has used the caches, the CPU slept, or
      # the virtual machine gave it away. A rest's length does not depend on the unit that ends it, so running
      # times without the cost of concurrency are compared with it directly. The interval covers both ends of
      # that cost.
      class CoherencyEstimator::ColdStartCost
        # No machine has shown a unit that takes three times as long after a rest.
        HIGHEST = 2.0
        LOWEST = -0.5

        def initialize(unit_samples, growth:)
          @unit_samples = unit_samples.select { |unit_sample| unit_sample.running_ns.positive? }
          @growth = growth
        end

        def estimate
          if size < CoherencyEstimator::FEWEST || blocks < CoherencyEstimator::FEWEST_BLOCKS
            return CoherencyEstimator::IntervalEstimate.unknown(size)
          end
          value, *ends = rest_cost(@growth.for_models)
          low, high = [*ends, rest_cost(@growth.low)[1], rest_cost(@growth.high)[2]].minmax
          CoherencyEstimator::IntervalEstimate.unknown(size).with(value:, low:, high:,
            spread: Math.sqrt(rests.sum { |rest| rest**2 } / size), blocks:)
        end

        private

        def size = @unit_samples.size

        def rest_cost(growth)
          logs = logs_without(growth)
          warm = groups.by_block { |index| rests[index] * logs[index] }
          interval = CoherencyEstimator::ScoreTest::BlockStatistics::ScoreInterval
          interval.of(LOWEST, HIGHEST, blocks) do |cold|
            warm.zip(cold_scores(cold)).map { |score, explained| score - explained }
          end
        end

        def groups
          @groups ||= CoherencyEstimator::ScoreTest::BlockStatistics::UnitGroups.new(@unit_samples)
        end

        def rested
          @rested ||= @unit_samples.map { |unit_sample| CoherencyCost.rested(unit_sample.rest_ns) }
        end

        def rests
          @rests ||= groups.centred(rested)
        end

        def logs_without(growth)
          @unit_samples.map do |unit_sample|
            Math.log(unit_sample.running_ns / (1 + growth * CoherencyCost.doublings(unit_sample.in_flight)))
          end
        end

        # The part of the blocks' scores that a cost of rests explains, whatever the growth. Logarithms need
        # not be centred, because `rests` are.
        def cold_scores(cold)
          @cold_scores ||= {}
          @cold_scores[cold] ||= groups.by_block(after_rest) do |index|
            rests[index] * Math.log(1 + cold * rested[index])
          end
        end

        def after_rest
          @after_rest ||= (0...size).select { |index| rested[index].positive? }
        end

        def blocks
          each = groups.by_block { |index| rests[index]**2 }
          each.sum.zero? ? 0.0 : each.sum**2 / each.sum { |one| one**2 }
        end
      end
    end
  end
end
