# frozen_string_literal: true

module Holdup
  module Sizing
    # A promised percentile of the time from a unit's arrival to its end; without a limit, just the
    # percentile.
    #
    #   Slo.parse("p95=300ms")  # => #<data Slo percentile=0.95, limit_ns=300000000>
    Slo = Data.define(:percentile, :limit_ns) do
      # @param text [String] "p95", "p99=1.5s"
      def self.parse(text)
        match = /\Ap(\d{2}(?:\.\d)?)(?:=(\d{1,9}(?:\.\d{1,6})?)\s?(us|ms|s))?\z/.match(text.strip) or return
        percentile = (Float(match[1]) / 100).round(3)
        if percentile >= 0.5
          new(percentile:, limit_ns: match[2] && (Float(match[2]) * self::UNITS.fetch(match[3])).round)
        end
      end

      def initialize(percentile: 0.95, limit_ns: nil)
        super
      end

      def name
        "p#{format("%g", percentile * 100)}"
      end

      def met?(response_ns)
        limit_ns.nil? || response_ns <= limit_ns
      end
    end

    Slo::UNITS = {"us" => 1_000, "ms" => 1_000_000, "s" => 1_000_000_000}.freeze
  end
end
