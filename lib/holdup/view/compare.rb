# frozen_string_literal: true

module Holdup
  module View
    # What `holdup compare` says, before it is laid out: the verdict first, then what differs, the figures and
    # who moved them.
    class Compare
      # Sentences for facts that need more words than their name.
      APART = {"setting" => :compare_by_setting, "arm" => :compare_by_arm}.freeze

      # @param comparison [Analysis::Comparison]
      # @param words [Words]
      # @param kind [Symbol] of the units
      # @param families [Array<Symbol>, nil] of metrics that are shown and judged; nil for all
      # @param limit [Integer] endpoints shown
      # @param picked [#fact, nil] by what the sides were told apart, and of how many; nil: by time
      def initialize(comparison, words: Words.new, kind: :request, families: nil, limit: Sections::LIMIT,
        picked: nil)
        @comparison = comparison
        @words = words
        @kind = kind
        @families = families
        @limit = limit
        @picked = picked
      end

      # @return [Page]
      def page
        Page.new(title: @words.call(:compare_title, units:), facts: [*sides, *told_apart],
          lead: sentences.lead, remarks: [sentences.cause, *sentences.remarks, *sentences.limits],
          sections: Sections.new(@comparison, words: @words, families: @families, limit: @limit).call)
      end

      # @return [Sentences]
      def sentences
        @sentences ||= Sentences.new(@comparison, words: @words, metrics: judged)
      end

      private

      # Those that were asked for, else the few that matter.
      def judged
        return Analysis::Comparison::ComparisonVerdict::METRICS unless @families
        metrics = Analysis::Comparison::Metric::ALL.values
        metrics.select { |metric| @families.include?(metric.family) }.map(&:name)
      end

      def sides
        [@comparison.before, @comparison.after].zip(%i[before after]).map do |side, name|
          @words.call(:compare_side, side: @words.call(:"compare_#{name}"), label: Width.clean(side.label),
            count: Figures.count(side.units), units: @words.units(@kind, side.units))
        end
      end

      # By what, and what else there would have been.
      def told_apart
        return [] unless @picked
        key = APART.fetch(@picked.fact, :compare_by)
        others = @picked.count > @picked.sides.size && !@picked.asked?
        most = @words.call(:compare_by_most, units:, count: Figures.count(@picked.count)) if others
        [[@words.call(key, fact: Width.clean(@picked.fact)), *most].join(" ")]
      end

      def units = @words.units(@kind)

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
