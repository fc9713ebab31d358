# frozen_string_literal: true

require_relative "trigger"

module Holdup
  module Capture
    # How much is too much for a unit: so many nanoseconds, or so many times the 99th percentile of its own
    # series.
    #
    # - `text`: as it was given; `over_ns`: nil for a multiple, and `factor`: nil for nanoseconds
    Threshold = Data.define(:text, :over_ns, :factor) do
      # @param text [String] such as "50 ms" or "p99 x 2"
      # @return [Threshold, nil] nil when it is none
      def self.parse(text)
        factor = Threshold::MULTIPLE.match(text)&.captures&.first&.to_f
        return (new(text:, over_ns: nil, factor:) if factor.positive?) if factor
        over_ns = Trigger.parse("wall > #{text}")&.over_ns
        new(text:, over_ns:, factor: nil) if over_ns
      end

      # @param p99_ns [Integer, nil] nil when not known
      # @return [Integer] ns; 0 for none
      def ns(p99_ns)
        return over_ns if over_ns
        p99_ns ? [(p99_ns * factor).round, Threshold::LEAST_NS].max : 0
      end

      # @return [Boolean] whether it hangs on the series
      def relative? = over_ns.nil?
    end

    # Of a multiple: where hardly any unit ever stalls, twice of that is nothing to look at.
    Threshold::LEAST_NS = 1_000_000
    Threshold::MULTIPLE = /\Ap99\s*(?:x|\*|×)\s*(\d{1,4}(?:\.\d{1,4})?)\z/
  end
end
