# frozen_string_literal: true

module Holdup
  class StatsLog
    # How figures are written in a line: never in scientific notation, which CloudWatch's filters don't read.
    module NumberFormat
      module_function

      # @param ns [Integer, nil] since 1970
      # @return [String, nil] ISO 8601 with milliseconds
      def time(ns)
        Time.at(0, ns, :nsec).utc.strftime("%FT%T.%LZ") if ns
      end

      # @param ns [Integer, nil]
      # @return [Float, nil] milliseconds
      def ms(ns)
        (ns / 1e6).round(3) if ns
      end

      # @param value [Float, nil]
      # @return [Float, nil]
      def share(value) = value&.round(4)
    end
  end
end
