# frozen_string_literal: true

module Holdup
  module View
    # Predictions and facts of the advice in words and figures, the same for every layout.
    class AdviceFigures
      MS = 1_000_000

      # @param words [Words]
      def initialize(words)
        @words = words
      end

      # @param candidate [Sizing::Candidate]
      # @param slice [Boolean] whether the time slice is told too
      # @return [String] "2 x 5", "2 x 5+10 io", "2 x 5 + 1 x 1", "2 x 5/10 ms", "2 x (3+2)" where pools share
      #   a process
      def setting(candidate, slice: false)
        groups = candidate.groups.map { |group| @words.call(:advice_setting, **size(group)) }.join(" + ")
        slice ? "#{groups}/#{slice(candidate)}" : groups
      end

      # @return [String] the same in a sentence
      def long(candidate, slice: false)
        slice ? @words.call(:advice_long_slice, **size(candidate),
          slice: slice(candidate)) : setting(candidate)
      end

      # @param share [Float] signed
      # @return [String] "+2.5 %"
      def signed(share)
        "#{Figures.change(share)} %"
      end

      # @return [String] "29.1 %"
      def share(share) = format("%.1f %%", share * 100)

      # @param test [Sizing::SelfTest::SelfTestResult]
      # @return [Hash{Symbol => String}] how far its replay is off
      def errors(test)
        test.errors.slice(:response, :p95, :wait).transform_values { |error| signed(error) }
      end

      # @param found [Sizing::SelfTest::ErrorCauses]
      # @return [Hash{Symbol => String}] what may have been to blame, each with the size from which it is
      #   named
      def causes(found)
        known = Sizing::SelfTest::ErrorCauses::LIMITS
        limits = known.to_h { |name, limit| [:"#{name}_limit", cause(name, limit)] }
        {**found.figures.to_h { |name, figure| [name, cause(name, figure)] }, **limits}
      end

      # @param hits [Array<Sizing::Guards::Violation>]
      def guards(hits)
        @words.list(hits.map { |hit| @words.call(:"advice_guard_#{hit.name}") })
      end

      # What a fact's name ends with says what it is.
      # @param facts [Hash{Symbol => Object}]
      # @return [Hash{Symbol => String}]
      def facts(facts)
        facts.to_h { |name, value| [name, fact(name.to_s, value)] }
      end

      private

      def cause(name, figure)
        (name == :swings) ? Figures.rate(figure) : share(figure)
      end

      def size(candidate)
        io = candidate.io_threads.positive? ? "+#{candidate.io_threads} io" : ""
        {processes: candidate.processes,
         threads: "#{candidate.beside.any? ? "(#{candidate.caps.join("+")})" : candidate.threads}#{io}"}
      end

      def slice(candidate)
        "#{candidate.time_slice_ns / MS} ms"
      end

      def fact(name, value)
        case value
        when nil then Figures::NONE
        when String then Width.clean(value)
        when Numeric then number(name, value)
        when Hash then phrase(**value)
        else value.to_s
        end
      end

      # A part of a sentence that has facts of its own.
      def phrase(phrase:, **values)
        @words.call(:"phrase_#{phrase}", **facts(values))
      end

      def number(name, value)
        return Figures.duration(value) if name.end_with?("_ns")
        return Figures.share(value) if name.end_with?("_share")
        return Figures.bytes(value.round) if name.end_with?("_bytes")
        (value % 1).zero? ? Figures.count(value) : Figures.rate(value)
      end

      # What came of earlier predictions, and what these are corrected by for that: a sentence, and figures
      # for programs.
      class Bias
        # @param bias [Sizing::PredictionBias]
        # @param words [Words]
        def initialize(bias, words:)
          @corrections = bias.corrections
          @words = words
          @figures = AdviceFigures.new(words)
        end

        # @return [Array<String>] empty where nothing was learned
        def sentences
          return [] if @corrections.empty?
          [@words.call(:advice_bias, count: Figures.count(@corrections.each_value.map(&:predictions).max),
            came: each(&:ratio), by: each(&:factor))]
        end

        # @param bias [Sizing::PredictionBias]
        # @return [Hash{Symbol => Hash}] of :response, :p95, :wait, as far as there is something
        def self.json(bias)
          bias.corrections.transform_values { |found|
            {predictions: found.predictions, ratio: found.ratio.round(4), factor: found.factor.round(4)}
          }
        end

        private

        def each
          told = @corrections.map { |name, found|
            "#{@words.call(:"advice_bias_#{name}")} #{@figures.signed(yield(found) - 1)}"
          }
          @words.list(told)
        end
      end
    end
  end
end
