# frozen_string_literal: true

module Holdup
  module Analysis
    # Who holds the GVL while others wait for it, step by step, for charts. Each list has a value for each of
    # `at_s`, nil where nothing was measured.
    #
    # - `names`: Array of StallPairs::Party, those for whom threads wait most, the strongest first
    # - `waiting`: threads that wait, on average: {Party => list}, the names first, then Parties of the kinds
    #   :others and :nobody. A wait counts in the step in which it and its hold are recorded
    # - `held`: share of the time for which the GVLs of all processes were held: {Party => list}
    # - `threads`: how many threads run requests and jobs; 0 where that is not known
    # - `server`: "puma", "sidekiq": `held` is of its processes alone, because their GVLs are held more than
    #   those of others; nil: there are no others
    GvlOverTime = Data.define(:at_s, :names, :waiting, :held, :threads, :server) do
      def initialize(at_s:, names:, waiting:, held:, threads:, server: nil) = super

      # @return [Array<Float, nil>] threads that wait
      def total
        at_s.each_index.map do |index|
          values = waiting.values.filter_map { |list| list[index] }
          values.sum if values.any?
        end
      end

      # @return [Boolean] whether nobody is known to have waited
      def empty? = total.compact.sum.zero?
    end

    class GvlOverTime
      # More layers are hard to distinguish.
      STRONGEST = 5
      OTHERS = StallPairs::Party.new(name: "(others)", kind: :others)
      NOBODY = StallPairs::Party.new(name: "(nobody)", kind: :nobody)
    end
  end
end
