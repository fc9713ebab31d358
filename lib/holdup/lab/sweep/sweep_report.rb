# frozen_string_literal: true

module Holdup
  module Lab
    class Sweep
    end

    # What a sweep found. Pure: readings in, figures out.
    class Sweep::SweepReport
      # Less than that is noise even where two runs of the same happened to agree.
      LEAST_NOISE = 0.05

      # @return [Integer, nil] the signal that ended it before its time
      attr_reader :signal

      # @return [Holdup::Error, nil] what ended it before its time
      attr_reader :failure

      # @param ledger [Ledger]
      # @param signal [Integer, nil]
      # @param failure [Holdup::Error, nil]
      def initialize(ledger, signal: nil, failure: nil)
        @ledger = ledger
        @signal = signal
        @failure = failure
      end

      def plan = @ledger.plan

      def path = @ledger.path

      # @return [Integer] steps that are still to be done
      def left = @ledger.left.size

      # @return [Array<Numeric>] at which anything was measured
      def rates = plan.rates & @ledger.readings.map(&:rate)

      # @param rate [Numeric]
      # @return [Array<Line>] in the order of the plan, of the settings that got that far
      def lines(rate)
        found = @ledger.readings.select { |reading| reading.rate == rate }.group_by(&:arm)
        plan.arms.filter_map { |arm|
          if found[arm]
            Sweep::SweepResult.new(arm:, readings: found[arm], predictions: predictions(arm, rate))
          end
        }
      end

      # How much two runs of the same differ: what is less than that is chance.
      # @param rate [Numeric]
      # @return [Float, nil] share of the percentile that was promised; nil before the second run of the
      #   baseline
      def noise(rate)
        one, other = [plan.baseline, plan.baseline.with(again: true)].map { |arm| at(arm, rate)&.readings }
        return unless one && other
        pairs = one.zip(other).reject { |pair| pair.include?(nil) }
        [LEAST_NOISE,
          *pairs.map { |first, second| (second.percentile(share) / first.percentile(share).to_f - 1).abs }].max
      end

      # @param arm [Arm]
      # @return [Numeric, nil] the highest rate that was not too much for it; what it served at most in a
      #   closed loop
      def capacity(arm)
        return rates.filter_map { |rate| at(arm, rate)&.throughput }.max if plan.closed?
        rates.select { |rate|
          (line = at(arm,
            rate)) && plan.promise.met?(line.percentile(share)) && line.kept_up?(plan.seconds)
        }.max
      end

      # @param arm [Arm]
      # @param rate [Numeric]
      # @return [Line, nil]
      def at(arm, rate)
        lines(rate).find { |line| line.arm == arm }
      end

      # @return [Numeric, nil] the highest rate at which the baseline was measured
      def rate
        rates.select { |rate| at(plan.baseline, rate) }.max
      end

      # @return [Line, nil] that is better than the baseline by more than chance, and needs least
      def best
        base = rate && at(plan.baseline, rate)
        return unless base && noise(rate)
        better = lines(rate).reject { |line| line.arm.setting == plan.baseline }.select { |line|
          gain(line, base) > noise(rate)
        }
        top = better.map { |line| gain(line, base) }.max
        better.select { |line| gain(line, base) > top - noise(rate) }.min_by { |line|
          line.arm.then { |arm| [arm.processes.to_i * arm.threads.to_i, arm.threads.to_i] }
        }
      end

      # @return [Float] of the promised percentile, against the baseline at the same rate
      def gain(line, base = at(plan.baseline, rate))
        1 - line.percentile(share) / base.percentile(share).to_f
      end

      # @return [Float, nil] share of its own time that a request of the baseline leaves the GVL to others, at
      #   the lowest rate
      def idle_share
        reading = rates.min && at(plan.baseline, rates.min)&.readings&.first or return
        own_ns = reading.idle_ns + reading.running_ns
        reading.idle_ns.fdiv(own_ns) if own_ns.positive?
      end

      # @return [Boolean] whether a recording of the baseline was replayed
      def predicted? = @ledger.predictions.any?

      # @return [Float] percentile that counts
      def share = plan.promise.percentile

      # @return [Array<Reading>] of servers that were not warm yet
      def unsteady = @ledger.readings.reject(&:steady)

      # @return [Array<Line>] of settings for which already the lowest rate was too much
      def overrun
        (plan.closed? || rates.empty?) ? [] : lines(rates.min).reject { |line| line.kept_up?(plan.seconds) }
      end

      # @return [Array<Reading>] with requests that failed
      def failed
        @ledger.readings.select { |reading| reading.errors.positive? }
      end

      # @return [Hash] for programs: the file and what follows from it
      def to_h
        {**@ledger.to_h, left:, verdict: {rate:, noise: rate && noise(rate)&.round(4), best: best&.arm&.to_h, gain: best && gain(best).round(4)},
                         lines: rates.flat_map { |rate| lines(rate).map { |line| line.to_h.merge(rate:) } }}
      end

      private

      def predictions(arm, rate)
        @ledger.predictions.select { |one| one.rate == rate && one.arm == arm.setting }
      end
    end
  end
end
