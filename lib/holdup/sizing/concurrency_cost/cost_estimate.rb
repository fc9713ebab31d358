# frozen_string_literal: true

module Holdup
  module Sizing
    # What a recording says about growth (or about a rest).
    #
    # - `value`: 0.1: each doubling of the units in flight lengthens running times by 10 %; nil when there are
    #   too few units
    # - `low`, `high`: the 90 % interval. Its ends are at most LOWEST and HIGHEST, where nobody has seen one
    # - `gc`: the part of `value` that is garbage collection; nil when nobody knows
    # - `alone_ns`: mean running time of a unit that is alone
    # - `spread`: by how much company varied so that the units themselves can't have caused it, in doublings;
    #   `units`: how many were compared; `blocks`: of time, how many equal ones would say as much
    ConcurrencyCost::CostEstimate = Data.define(:value, :low, :high, :gc, :alone_ns, :spread, :units,
      :blocks) do
      # @return [Estimate] that says nothing
      def self.unknown(units)
        new(value: nil, low: self::LOWEST, high: self::HIGHEST, gc: nil, alone_ns: nil, spread: 0.0, units:,
          blocks: 0.0)
      end

      # @param evidence [Evidence]
      # @param blocks [Float]
      # @return [Estimate]
      def self.of(evidence, blocks)
        lowest = [self::LOWEST, -0.9 / [evidence.amounts.max, 1.0].max].max
        value, low, high = ConcurrencyCost::ScoreInterval.of(lowest, evidence.highest, blocks) { |growth| evidence.scores(growth) }
        new(value:, low:, high:, gc: nil, alone_ns: evidence.alone_ns(value), spread: evidence.spread,
          units: evidence.size, blocks:)
      end

      # @param share [Float]
      # @return [Estimate] of a whole, of which only that share grows
      def of_share(share)
        with(value: value * share, low: low * share, high: high * share, alone_ns: alone_ns / share)
      end

      # @return [Boolean] whether the recording varies enough to tell growths apart that matter
      def enough?
        !value.nil? && high - low <= self.class::WIDEST
      end

      # @return [Boolean] whether it certainly costs something
      def grows?
        !value.nil? && low.positive?
      end

      # @return [Float, nil] the part that is not garbage collection: what switching costs caches
      def rest
        gc && value - gc
      end

      # @return [Float] what models use: a growth that nobody can tell from none, or of which nobody knows, is
      #   none
      def for_models
        grows? ? value : 0.0
      end
    end

    ConcurrencyCost::CostEstimate::LOWEST = -0.2
    ConcurrencyCost::CostEstimate::HIGHEST = 1.0
    # Between 0 and 10 % lie 23 % of capacity at 5 threads.
    ConcurrencyCost::CostEstimate::WIDEST = 0.1
  end
end
