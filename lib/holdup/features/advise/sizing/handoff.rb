# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # The hand-off: time from one holder's release of the GVL to the next one's start while threads wait. A
      # thread has to wake up, mostly on a sleeping CPU: 20 to 70 us were measured, less on busier machines.
      # The lower of two bounds counts:
      #
      # - The measured time that units waited while no thread held the GVL. (If CPUs are short, that is mostly
      #   waiting for a CPU, which replays model separately.)
      # - Replayed waits may not exceed the measured ones by more than chance does. (Alone, this bound would
      #   count every other error of a replay as hand-off: saturated threads come out 6 % too slow.) Replays
      #   that wait too long without any hand-off err elsewhere, for example because jobs that take turns are
      #   broken into random parts: then what was counted holds, up to USUAL_NS. With 0, two capsules of
      #   10 + 2 threads came out 7 to 19 % too fast.
      module Handoff
        # This is the bound where no recorded figure gives one.
        USUAL_NS = 30_000
        LONGEST_NS = 200_000
        # Units from which a level of a closed load shows what it serves.
        LEVEL_UNITS = 100
        # Halvings of the range.
        STEPS = 12
        # Share of the waits below which they do not depend on it.
        FELT = 0.005
        # Logarithm of the ratio of two hand-offs from which they show how their sum grows with them.
        ALIKE = 0.2
        MOST_POWER = 3.0

        # Mean ns per unit. `handoff_ns`: of its stall, while no thread held the GVL, nil if unknown;
        # `wait_ns`: all waits that hand-offs lengthen
        HandoffTimes = Data.define(:handoff_ns, :wait_ns)

        # @param handoff_ns [Numeric, Array<Numeric>] for any number of waiting threads, or for 1, 2, ...
        # @param waiting [Float] mean number of waiting threads, at least one of them
        # @return [Numeric] ns of one hand-off
        def self.with_waiting(handoff_ns, waiting)
          return handoff_ns unless handoff_ns.is_a?(Array)
          at = [waiting - 1, 0].max
          low = handoff_ns[at.floor] || handoff_ns.last
          high = handoff_ns[at.floor + 1] || handoff_ns.last
          low + (high - low) * (at % 1)
        end

        # Hand-offs by the number of waiting threads, from what each level of a closed load served in one
        # process: those with which ClosedModel serves as much, on a straight line.
        # @param levels [Array<ClosedLoad::ClosedLevel>]
        # @param demand [ServiceDemand]
        # @param speed [SpeedEffect] of the machines, which may have been slower at some levels
        # @return [Array<Float>, nil] ns with 1, 2, ... of them; nil if too few levels show a difference
        def self.by_waiting(levels, demand, threads:, speed: SpeedEffect::NONE)
          shared = levels.select { |level| level.population > 1 && level.weight >= LEVEL_UNITS }
          points = shared.map do |level|
            there = speed.demand(demand, level.unit_samples)
            point(level, there, [level.population, threads].min)
          end
          return if points.map(&:first).uniq.size < 2
          line = line(points)
          seen = Range.new(*points.map(&:first).minmax)
          Array.new(ReplayEngine::HANDOFFS) do |index|
            line.call((index + 1).clamp(seen)).clamp(0.0, LONGEST_NS)
          end
        end

        # Waiting threads, the hand-off, and the weight of a level.
        def self.point(level, demand, threads)
          low, high = [0.0, LONGEST_NS.to_f]
          STEPS.times do
            middle = (low + high) / 2
            model = ClosedModel.new(demand.with(handoff_ns: middle))
            (model.throughput(threads) > level.throughput) ? low = middle : high = middle
          end
          [ClosedModel.new(demand.with(handoff_ns: low)).waiting(threads), low, level.weight]
        end

        # The weighted least squares of both.
        def self.line(points)
          x, y = [0, 1].map { |at| WeightedSample.mean(points.map { |point| [point[at], point.last] }) }
          square = points.sum { |waiting, _, weight| weight * (waiting - x)**2 }
          slope = points.sum { |waiting, ns, weight| weight * (waiting - x) * (ns - y) } / square
          ->(waiting) { y + slope * (waiting - x) }
        end
        private_class_method :point, :line

        # @param chance_ns [Numeric] by which measured and replayed waits differ by chance: what was counted
        #   is more exact
        # @yieldreturn [HandoffTimes] of a replay with that hand-off, ns
        def self.fit(measured, chance_ns: 0, &replay)
          without, with = [0, USUAL_NS].map(&replay)
          counted = counted(measured, with, &replay)
          longest = counted ? measured.with(wait_ns: measured.wait_ns + chance_ns) : measured
          felt = felt(longest, without, with)
          return counted.clamp(0, USUAL_NS) if counted && felt&.negative?
          [counted, felt].compact.min&.clamp(0, LONGEST_NS) || USUAL_NS
        end

        # Longer hand-offs make more threads wait, so their sum grows with a power of them, which two attempts
        # show.
        def self.counted(measured, with)
          return if measured.handoff_ns.nil? || !with.handoff_ns.positive?
          return 0.0 if measured.handoff_ns.zero?
          first = [USUAL_NS * measured.handoff_ns / with.handoff_ns.to_f, LONGEST_NS].min
          second = yield(first)
          share = measured.handoff_ns / second.handoff_ns.to_f
          first * share**(1 / power(first, second, with))
        end

        # Of attempts that are alike, chance decides.
        def self.power(first, second, with)
          distance = Math.log(first / USUAL_NS)
          return 1.0 if distance.abs < ALIKE
          (Math.log(second.handoff_ns / with.handoff_ns.to_f) / distance).clamp(1.0, MOST_POWER)
        end

        def self.felt(measured, without, with)
          step = with.wait_ns - without.wait_ns
          USUAL_NS * (measured.wait_ns - without.wait_ns) / step.to_f if step.abs > FELT * measured.wait_ns
        end
        private_class_method :counted, :power, :felt
      end
    end
  end
end
