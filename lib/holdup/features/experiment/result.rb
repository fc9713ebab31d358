# frozen_string_literal: true

module Holdup
  module Experiment
    # Two arms of an experiment, judged: is the candidate better or worse than the control? The figures and
    # their intervals are those of Compare::Comparison, over blocks of time that both arms share. What an
    # experiment adds: it may be looked at before its end without finding differences between equals, it says
    # when its figures must not be trusted, and what it could have shown.
    #
    #   experiment = Holdup::Experiment::Result.new(control, candidate, schedule:, to_s:)
    #   experiment.answer.key                     # => :better
    class Result
      POOL_WAIT = Compare::Comparison::Metric.new(name: :pool_wait, unit: :ns, least: 20 * US)
      # Requests that time out are errors.
      OUTCOMES = [*Compare::Comparison::Metric::ALL.values_at(:wall_p95, :wait_mean, :cpu_unit, :errors),
        POOL_WAIT].freeze
      # Time from the arrival of a request to its answer: of the requests that are stored singly, or, where
      # those are missing, the mean of all. The load of a minute moves the mean so much that it hides a
      # difference for longer.
      RESPONSE = Compare::Comparison::Metric.new(name: :response_p95, unit: :ns, least: 20 * US,
        resolution: Compare::Comparison::Metric::BUCKET)
      RESPONSE_MEAN = Compare::Comparison::Metric.new(name: :response_mean, unit: :ns,
        least: 20 * US)
      # What equal arms must agree in.
      EQUAL_OUTCOMES = Compare::Comparison::Metric::ALL.values_at(:wall_p95, :wait_mean, :cpu_unit).freeze
      # Means that may drift apart.
      DRIFTING = %i[wall_mean wait_mean cpu_unit].freeze
      # Fewer requests or jobs of an arm have no p95.
      FEWEST_UNITS = 200
      # The upper end of a relative interval from which tables show no number, see Cells#interval.
      UNBOUNDED = 9.995
      # Share of sound experiments that an A/A check or the check for drift may call invalid, each.
      FALSE_ALARMS = 0.01

      # - `key`: :better, :worse, :both, :none (no difference that could be shown), :running (the next look
      #   will say), :invalid
      # - `reason`: of :invalid: :deploy, :too_little, :unequal (A/A), :unchecked (A/A), :drift; else nil
      # - `moved`, `unmoved`: Array of Compare::Estimate
      # - `look`: number of the look that it comes from, from 1; nil before the first
      ExperimentAnswer = Data.define(:key, :reason, :moved, :unmoved, :look) do
        def initialize(key:, reason: nil, moved: [], unmoved: [], look: nil) = super
      end

      # Two groups with one setting, such as halves of an arm's processes. `label`: of the arm
      EqualArms = Data.define(:label, :sides)

      # What an A/A check found. `key`: :equal, :unequal, :unknown; `moved`: Array of Estimate
      EqualityResult = Data.define(:label, :key, :moved) do
        def initialize(label:, key:, moved: []) = super
      end

      attr_reader :control, :candidate, :schedule

      # @param control [Compare::Side]
      # @param candidate [Compare::Side]
      # @param schedule [LookSchedule]
      # @param to_s [Integer] end of the data, seconds since 1970
      # @param equals [Array<EqualArms>]
      # @param over [Boolean] whether nothing more is to come, however long it was planned
      # @param planned_equality [Boolean] whether it began with an A/A phase: then it proves nothing unless
      #   that could be judged
      # @param turns [Boolean] whether the arms take turns on the same processes
      def initialize(control, candidate, schedule:, to_s:, equals: [], over: false, planned_equality: false,
        turns: planned_equality)
        @control = control
        @candidate = candidate
        @schedule = schedule
        @to_s = to_s
        @equals = equals
        @over = over
        @planned_equality = planned_equality
        @turns = turns
      end

      def sides = [control, candidate]

      # Whether the arms take turns on the same processes: neighbouring turns are compared in pairs then.
      def turns? = @turns

      # @return [ArmBlocks] all that have data from both arms
      def blocks
        @blocks ||= ArmBlocks.new(sides, length_s: schedule.block_s, until_s: @to_s)
      end

      # Whether no look is left.
      def over?
        return true if @over || blocks.size >= schedule.blocks
        !blocks.from_s.nil? && @to_s - blocks.from_s >= schedule.planned_s + schedule.block_s
      end

      # @return [Array<Integer>] blocks at each look so far
      def looks
        @looks ||= enough? ? schedule.reached(blocks.size, over: over?) : []
      end

      # @return [Compare::Comparison] at the look that the answer comes from; before any, of all blocks
      def comparison = shown ? shown.comparison : comparison_of(blocks.size)

      # @return [Float] level of the intervals at that look
      def level
        shown ? shown.level : 1 - LookSchedule::ALPHA / [outcomes.size, 1].max
      end

      # Whether there was a look: before it, no interval is of a level that was planned.
      def looked? = !shown.nil?

      # An early look demands so much that its interval may include no difference and ten times as much: it
      # says nothing.
      # @return [Range, nil] of an estimate at that look; nil before any, and where it says nothing
      def interval(estimate)
        range = looked? ? estimate.interval(level) : nil
        return range unless range && estimate.relative?
        (range.cover?(0.0) && range.end >= UNBOUNDED) ? nil : range
      end

      # @return [ExperimentAnswer]
      def answer
        @answer ||= invalid || decision
      end

      # Outcomes that any request or job has: without errors and connections there is nothing to judge.
      # @return [Array<Compare::Comparison::Metric>]
      def outcomes
        @outcomes ||= if blocks.size.zero?
          []
        else
          judged.select { |metric| comparison_of(blocks.size).occurs?(metric) }
        end
      end

      # @return [Array<Compare::Estimate>] of the comparison
      def estimates
        @estimates ||= outcomes.map { |metric| comparison.estimate(metric) }
      end

      # A boot is a draw, also of the processes of an arm.
      # @return [Compare::BootDraw, nil] nil before any block, and where both arms have the same processes
      def boots = blocks.size.zero? ? nil : comparison.boots

      # @return [Array<Compare::Estimate>] that would be certain were the processes of an arm alike
      def decided_by_boots
        looked? ? estimates.select { |estimate| estimate.boots_decide?(level) } : []
      end

      # @return [Array<EqualityResult>] A/A checks
      def equality
        @equality ||= @equals.map { |arms| check(arms) }
      end

      # Revisions of one arm, if it had several.
      # @return [Array<String>]
      def revisions
        by_side = sides.map { |side| side.settings.map { |setting| setting["revision"] }.uniq }
        by_side.find { |values| values.size > 1 }.to_a.map(&:to_s)
      end

      private

      # A look: `size` in blocks, `comparison` of them
      Look = Data.define(:size, :level, :comparison)
      private_constant :Look

      # Requests begin later with fewer threads, and take less time from then on: what they take less, their
      # queue has more. So where numbers of threads differ, both count together, and neither where queue times
      # are unknown.
      def judged
        return OUTCOMES unless threads_differ?
        elapsed, wait, *others = OUTCOMES
        return OUTCOMES - [elapsed, wait] unless queue_known?
        [singles_known? ? RESPONSE : RESPONSE_MEAN, wait, *others]
      end

      def singles_known?
        sides.all? { |side| side.unit_samples.count(&:queued_ns) >= FEWEST_UNITS }
      end

      def threads_differ?
        control, candidate = sides.map { |side| side.settings.map { |setting| setting["threads"] }.uniq }
        control != candidate
      end

      def queue_known?
        sides.all? do |side|
          units = side.windows.select { |window| window.series.unit? }
          units.any? { |window| window.histograms[:queued]&.count.to_i.positive? }
        end
      end

      def enough?
        return false if blocks.size < LookSchedule::FEWEST
        sides.all? { |side| side.units >= FEWEST_UNITS }
      end

      def comparison_of(most)
        @comparisons ||= {}
        @comparisons[most] ||= begin
          chosen = ArmBlocks.new(sides, length_s: schedule.block_s, until_s: @to_s, most:)
          Compare::Comparison.new(control, candidate, percentiles:, blocks: chosen, turns: @turns)
        end
      end

      # @return [Array<Symbol>] of the distributions that are judged
      def percentiles
        @percentiles ||= judged.map(&:family) & %i[wall response]
      end

      def levels
        @levels ||= schedule.levels(looks, outcomes: [outcomes.size, 1].max, over: over?)
      end

      def looked
        @looked ||= looks.zip(levels).map do |size, level|
          Look.new(size:, level:, comparison: comparison_of(size))
        end
      end

      # The first look that found a difference, at which the experiment ended, or the last one.
      def shown
        return @shown if defined?(@shown)
        @shown = looked.find { |look| moved(look).any? } || looked.last
      end

      # @return [Array<Compare::Estimate>]
      def moved(look) = found(look.comparison, outcomes, look.level)

      def found(comparison, metrics, level)
        estimates = metrics.map { |metric| comparison.estimate(metric) }
        estimates.select { |estimate| %i[better worse].include?(estimate.verdict(level)) }
      end

      def invalid
        reason = :deploy if revisions.any?
        reason ||= :too_little if looks.empty? && over?
        reason ||= :unequal if equality.any? { |result| result.key == :unequal }
        reason ||= :unchecked if looks.any? && unchecked?
        reason ||= :drift if looks.any? && drift?
        reason && ExperimentAnswer.new(key: :invalid, reason:)
      end

      def unchecked?
        @planned_equality && equality.none? { |result| result.key == :equal }
      end

      def decision
        return ExperimentAnswer.new(key: :running) unless shown
        moved = moved(shown)
        look = looked.index(shown) + 1
        ExperimentAnswer.new(key: key(moved), moved:, unmoved: estimates - moved, look:)
      end

      def key(moved)
        verdicts = moved.map { |estimate| estimate.verdict(level) }.uniq
        return (verdicts.size > 1) ? :both : verdicts.first if verdicts.any?
        over? ? :none : :running
      end

      def check(arms)
        most = comparison.sizes.min
        chosen = ArmBlocks.new(arms.sides, length_s: schedule.block_s, until_s: @to_s, most:)
        return EqualityResult.new(label: arms.label, key: :unknown) if chosen.size < LookSchedule::FEWEST
        compared = Compare::Comparison.new(*arms.sides, percentiles: %i[wall], blocks: chosen, turns: @turns)
        moved = found(compared, EQUAL_OUTCOMES, 1 - FALSE_ALARMS / EQUAL_OUTCOMES.size)
        EqualityResult.new(label: arms.label, key: moved.any? ? :unequal : :equal, moved:)
      end

      def drift?
        DRIFTING.any? { |name| Drift.new(comparison.block_figures, name).found?(DRIFTING.size) }
      end

      # Whether the difference of the arms in the second half of the blocks is another than in the first, by
      # more than the difference itself: then it belongs to the time, not to the arms.
      class Drift
        # Blocks of each half.
        FEWEST = 6

        # @param figures [Array<Array<Hash{Symbol => Float, nil}>>] of Comparison#block_figures
        def initialize(figures, name)
          pairs = figures.map { |blocks| blocks.map { |block| block[name].to_f } }.transpose
          @ratios = pairs.select { |pair| pair.all?(&:positive?) }.map { |before, after| after / before }
          @metric = Compare::Comparison::Metric::ALL.fetch(name)
        end

        # @param tests [Integer] number of figures that are tested
        def found?(tests)
          halves = [@ratios.first(@ratios.size / 2), @ratios.drop(@ratios.size / 2)]
          return false if halves.any? { |half| half.size < FEWEST }
          estimate = estimate(halves)
          direction = estimate.direction(1 - FALSE_ALARMS / tests)
          %i[more less].include?(direction) && estimate.change.abs > mean(@ratios).abs
        end

        private

        def estimate(halves)
          errors = halves.map { |half| variance(half) / half.size }
          return Compare::Estimate.new(metric: @metric, before: 1.0, after: 1.0) if errors.sum.zero?
          deviation = Math.sqrt(errors.sum) * autocorrelation(halves).widening(@metric)
          freedom = Compare::Estimate::StudentDistribution.freedom(errors, halves.map(&:size))
          after = Math.exp(mean(halves.last) - mean(halves.first))
          Compare::Estimate.new(metric: @metric, before: 1.0, after:, deviation:, freedom:)
        end

        def autocorrelation(halves)
          sides = halves.map { |half| half.map { |ratio| {@metric.name => ratio} } }
          Compare::BlockBootstrap::Autocorrelation.new(sides, paired: false)
        end

        def mean(ratios) = ratios.sum { |ratio| Math.log(ratio) } / ratios.size

        def variance(ratios)
          mean = mean(ratios)
          ratios.sum { |ratio| (Math.log(ratio) - mean)**2 } / (ratios.size - 1)
        end
      end
      private_constant :Drift
    end

    class Result
      # Blocks of time in which both arms took requests or jobs: each is compared with itself, so that what
      # hits both arms cancels. They replace Compare::BlockBootstrap::TimeBlocks.
      class ArmBlocks
        attr_reader :length_s

        # @param sides [Array<Compare::Side>] of both arms
        # @param until_s [Integer, nil] later blocks, and one that is not over yet, do not count
        # @param most [Integer, nil] only so many, the first ones
        def initialize(sides, length_s:, until_s: nil, most: nil)
          @length_s = length_s
          by_side = sides.map { |side| side.windows.map { |window| number(window.start_s) }.uniq }
          common = by_side.reduce(:&).sort
          common.select! { |number| (number + 1) * length_s <= until_s } if until_s
          @numbers = common.first(most || common.size)
        end

        def size = @numbers.size

        # @return [Integer, nil] first second of the first block
        def from_s
          @numbers.first && @numbers.first * length_s
        end

        def paired? = true

        # See TimeBlocks#held.
        def held = nil

        # @param _side [Integer] both have the same
        def numbers(_side) = @numbers

        def number(start_s) = start_s / length_s
      end
    end

    # What to write where, so that a value that was found better also counts after a restart.
    module Result::PermanentChange
      # By lever: on Puma's command line, and in its configuration file.
      WORDING = {
        "threads" => ["puma -t %<value>d:%<value>d", "threads %<value>d, %<value>d"].freeze,
        "processes" => ["puma -w %<value>d", "workers %<value>d"].freeze
      }.freeze

      module_function

      # @param values [Array<Integer>] configured, and better
      # @param where [String, nil] a SettingPlace
      # @param lever [String] "threads" or "processes"
      # @return [String] a diff
      def of(values, where:, lever: "threads")
        place, *lines = lines(values, where.to_s, WORDING.fetch(lever))
        ["--- #{place}", "+++ #{place}", *%w[- +].zip(lines).map(&:join)].join("\n")
      end

      def lines(values, where, wording)
        variable = SettingPlace.variable_of(where)
        if SettingPlace.command_line?(where)
          ["command line", *values.map { |value| format(wording.first, value:) }]
        elsif variable
          ["environment", *values.map { |value| "#{variable}=#{value}" }]
        else
          [where.empty? ? "config/puma.rb" : where, *values.map { |value| format(wording.last, value:) }]
        end
      end
    end
  end
end
