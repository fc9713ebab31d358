# frozen_string_literal: true

module Holdup
  module Export
    # Time for which requests, jobs and other threads waited for the GVL, by who waited and who held it. Sums
    # only grow.
    #
    # The strongest pairs have label sets of their own. A pair gets one when its share of all time is large
    # enough, and keeps it; the time before, and that of all other pairs, is in OTHERS. So nothing moves from
    # one sum to another, and the sum over all label sets is exact.
    class PairTotals
      OTHERS = "(others)"
      # Label sets, together with OTHERS.
      MOST = 50
      # Of all time, from which on a pair has a label set of its own: not more than MOST have that much.
      SHARE = 0.02
      # Pairs whose share is known: further ones are weak, or come from names that are without a limit.
      MOST_KNOWN = 10_000

      # @return [Hash{Hash{Symbol => String} => Integer}] labels => ns
      attr_reader :sums

      def initialize
        @sums = {}
        @known = {}
        @named = Set.new
        @all_ns = 0
      end

      # Adds what was stored in one commit.
      # @param windows [Array<Window>] of kind :pair
      # @yieldparam window [Window]
      # @yieldreturn [Hash{Symbol => String}] labels of its process
      def add(windows)
        pairs = windows.each_with_object(Hash.new(0)) do |window, sums|
          series = window.series
          names = {victim: series.name, holder: series.queue.to_s}.transform_values { |name| name.scrub("?") }
          sums[{**yield(window), **names}] += window.stalled_ns
        end
        pairs.each { |pair, ns| know(pair, ns) }
        pairs.sort_by { |_, ns| -ns }.each { |pair, ns| grow(place(pair), ns) }
      end

      private

      def know(pair, ns)
        @all_ns += ns
        @known[pair] = @known.fetch(pair, 0) + ns if @known.key?(pair) || @known.size < MOST_KNOWN
      end

      def grow(labels, ns)
        @sums[labels] = @sums.fetch(labels, 0) + ns
      end

      # @return [Hash{Symbol => String}] the label set that the time of a pair belongs to
      def place(pair)
        return pair if @sums.key?(pair)
        if strong?(pair) && room?
          @named << pair.except(:holder)
          return pair
        end
        candidates = [pair.merge(victim: OTHERS, holder: OTHERS)]
        candidates.unshift(pair.merge(holder: OTHERS)) if @named.include?(pair.except(:holder))
        candidates.find { |labels| @sums.key?(labels) || room? } || {victim: OTHERS, holder: OTHERS}
      end

      def strong?(pair) = @known.fetch(pair, 0) >= SHARE * @all_ns

      # One place is left for what finds none.
      def room? = @sums.size < MOST - 1
    end
  end
end
