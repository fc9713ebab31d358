# frozen_string_literal: true

module Holdup
  module Compare
    # The change of the time for which each request or job of a name waited for the GVL while a holder had it.
    # - `victim`: name of the requests or jobs; `holder`: name of others, or of a thread's account
    # - `estimate`: ns for each request or job of the victim
    PairChange = Data.define(:victim, :holder, :estimate) do
      # @param sides [Array<Side>] both
      # @param numbers [Array<Array<Integer>>] of the blocks that count, by side
      # @param resampling [Hash] bootstrap and widening, see StallPerUnit
      # @return [Array<PairChange>] of victims that both sides have, largest difference first; none of those
      #   whose pairs one side did not record, which would look as if they had not waited
      def self.all(sides, blocks:, numbers:, **resampling)
        pairs = sides.zip(numbers).map do |side, own|
          StallPerUnit.new(side.windows, side.pair_windows, figure: :stalled_ns, blocks:,
            numbers: own) do |window|
            [window.series.name, window.series.queue]
          end
        end
        recorded = sides.map(&:victims_with_pairs).reduce(:&)
        named = StallPerUnit.largest(pairs, PairChange::MOST).select do |victim, holder|
          recorded.include?(victim) && !Series::NAMELESS.key?(holder)
        end
        estimates = StallPerUnit.estimates(pairs, named, metric: PairChange::METRIC, **resampling)
        changes = named.zip(estimates).map { |(victim, holder), estimate| new(victim:, holder:, estimate:) }
        changes.sort_by { |change| -change.estimate.difference.abs }
      end

      # @return [Symbol, nil] :new, :gone or :changed; nil where neither side has it
      def key
        return :changed if estimate.relative?
        return if estimate.same?
        estimate.before.zero? ? :new : :gone
      end
    end

    PairChange::METRIC = Comparison::Metric.new(name: :waited_for_holder, unit: :ns, least: 20 * US)
    # Pairs that are looked at: each name may wait for each other one.
    PairChange::MOST = 40
  end
end
