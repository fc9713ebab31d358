# frozen_string_literal: true

module Holdup
  module View
    class Compare
      # Figures of a comparison as they are written, the same for every layout.
      class Cells
        # @param words [Words]
        def initialize(words)
          @words = words
        end

        # @param metric [Analysis::Comparison::Metric]
        # @return [String] "queued + stalled p95"
        def name(metric)
          @words.call(:"compare_#{metric.name}")
        end

        # @param value [Numeric, nil]
        # @return [String]
        def value(metric, value)
          case value && metric.unit
          when nil then Figures::NONE
          when :ns then Figures.duration(value)
          when :share then Figures.share(value)
          when :bytes then Figures.bytes(value.round)
          else Figures.rate(value)
          end
        end

        # @return [String] "-1.20 ms"
        def signed(metric, value)
          return Figures::NONE unless value
          "#{sign(value)}#{value(metric, value.abs)}"
        end

        # @param share [Float, nil]
        # @return [String] "-12.3 %"
        def change(share)
          share ? "#{percent(share)} %" : Figures::NONE
        end

        # @param estimate [Analysis::Comparison::Estimate]
        # @return [String] "-16.1..-8.0 %"
        def interval(estimate, level = estimate.class::LEVEL)
          range = estimate.interval(level) or return Figures::NONE
          unless estimate.relative?
            return [range.begin, range.end].map { |bound| signed(estimate.metric, bound) }.join("..")
          end
          "#{percent(range.begin)}..#{percent(range.end)} %"
        end

        # @param estimate [Analysis::Comparison::Estimate]
        # @return [String] "better", "WORSE", "same", "too small", or nothing where nobody can tell
        def mark(estimate)
          return @words.call(:compare_mark_same) if estimate.same?
          return @words.call(:compare_mark_irrelevant) if estimate.irrelevant?
          found = estimate.verdict
          (found == :better || found == :worse) ? @words.call(:"compare_mark_#{found}") : ""
        end

        # @param setting_value [Array] values of a fact
        # @return [String]
        def fact(values)
          values.map { |value| value.nil? ? Figures::NONE : Width.clean(value.to_s) }.join(", ")
        end

        # @param seconds [Integer]
        # @return [String] "10 min"
        def seconds(seconds)
          (seconds % 3600).zero? ? "#{seconds / 3600} h" : "#{seconds / 60} min"
        end

        # @param band [Analysis::Comparison::ProcessAges::AgeBand]
        # @return [String] "10 min - 1 h"
        def age(band)
          band.to_s ? "#{seconds(band.from_s)} - #{seconds(band.to_s)}" : @words.call(:compare_age_from,
            from: seconds(band.from_s))
        end

        # @param share [Float] of Estimate#visible
        # @return [String] "4.5 %"
        def visible(share)
          (share > 1) ? ">100 %" : Figures.share(share)
        end

        private

        def percent(share)
          Figures.change(share, (share.abs >= 1) ? 0 : 1)
        end

        def sign(value)
          return "" if value.zero?
          value.negative? ? "-" : "+"
        end
      end
    end
  end
end
