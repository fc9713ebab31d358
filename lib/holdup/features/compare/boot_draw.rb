# frozen_string_literal: true

module Holdup
  module Compare
    # What both sides differ by because they are other processes, see Analysis::BootSpread. Blocks of time do
    # not show it, because each has all processes.
    # - `spread`: Analysis::BootSpread::SpreadEstimate; `variance`: of the logarithm of both sides' ratio
    # - `alone`: standard error without it, with its degrees of freedom; nil with too few blocks of time
    BootDraw = Data.define(:spread, :variance, :alone) do
      def initialize(spread:, variance:, alone: nil) = super

      # @param estimate [Estimate] without it
      # @return [Estimate] with it
      def widened(estimate)
        variances = [estimate.deviation**2, variance]
        sizes = [estimate.freedom, spread.freedom].map { |freedom| freedom + 1 }
        freedom = Estimate::StudentDistribution.freedom(variances, sizes)
        estimate.with(deviation: Math.sqrt(variances.sum), freedom:,
          boots: with(alone: estimate.to_h.slice(:deviation, :freedom)))
      end
    end

    # Both sides' draws, by what is compared.
    class BootDraw::BootDraws
      # Metric families with relative differences that depend on the process.
      FAMILIES = %i[wall response wait stalled cpu gc].freeze

      # @param sides [Array<Side>]
      def initialize(sides)
        @sides = sides
        @known = {}
      end

      # @param family [Symbol] of metrics
      # @return [BootDraw, nil] nil where both sides have the same processes, or a side's are unknown
      def [](family)
        return unless FAMILIES.include?(family) && share.positive?
        @known[family] ||= begin
          unit_samples = @sides.flat_map(&:unit_samples)
          spread = Analysis::BootSpread.new(unit_samples, family).call
          BootDraw.new(spread:, variance: spread.deviation**2 * share)
        end
      end

      private

      # With n processes of equal shares on a side, and others on the other side, 1/n of either. What
      # processes do on both sides cancels.
      # @return [Float] part of the variance between processes that the ratio of both sides has
      def share
        @share ||= begin
          before, after = @sides.map(&:process_shares)
          both = [before, after].any?(&:empty?) ? [] : before.keys | after.keys
          both.sum(0.0) { |process| (before.fetch(process, 0.0) - after.fetch(process, 0.0))**2 }
        end
      end
    end
  end
end
