# frozen_string_literal: true

module Holdup
  module Advise
    # Predictions and facts of the advice in words and figures, shared by every layout.
    class AdviceFigures
      # Facts that are a system and what is called in it: "sql primary".
      SYSTEMS = %w[call called].freeze

      def initialize(words)
        @words = words
      end

      # @param slice [Boolean] whether to include the time slice
      # @return [String] "2 x 5", "2 x 5+10 io", "2 x 5 + 1 x 1", "2 x 5/10 ms", "2 x (3+2)" where pools share
      #   a process
      def setting(candidate, slice: false)
        groups = candidate.groups.map { |group| @words.call(:advice_setting, **size(group)) }.join(" + ")
        slice ? "#{groups}/#{slice(candidate)}" : groups
      end

      # @return [String] the same for use in a sentence
      def long(candidate, slice: false)
        slice ? @words.call(:advice_long_slice, **size(candidate),
          slice: slice(candidate)) : setting(candidate)
      end

      # @param share [Float] signed
      # @return [String] "+2.5 %"
      def signed(share)
        "#{View::Figures.change(share)} %"
      end

      # @return [String] "29.1 %"
      def share(share) = View::Figures.share(share)

      # @return [Hash{Symbol => String}] errors of its replay
      def errors(test)
        test.errors.slice(:response, :p95, :wait).transform_values { |error| signed(error) }
      end

      # @return [Hash{Symbol => String}] possible causes, each with the size from which it is named
      def causes(found)
        known = Sizing::SelfTest::ErrorCauses::LIMITS
        limits = known.to_h { |name, limit| [:"#{name}_limit", cause(name, limit)] }
        {**found.figures.to_h { |name, figure| [name, cause(name, figure)] }, **limits}
      end

      def guards(hits)
        @words.list(hits.map { |hit| @words.call(:"advice_guard_#{hit.name}") })
      end

      # A restart draws anew, which can be all that a gain depends on.
      # @param found [Sizing::WidenedGain, nil]
      # @return [Array<String>] where it decides, and where what is assumed of it widens the interval
      def boots(found)
        return [] unless found&.decides? || assumed?(found)
        low, high = found.alone.minmax.map { |bound| share(bound) }
        facts = {spread: share(found.spread.deviation), low:, high:}
        said = if found.spread.assumed?
          @words.call(:advice_boots_assumed, **facts)
        else
          @words.call(:advice_boots, **facts, processes: View::Figures.count(found.spread.processes))
        end
        [said, *(@words.call(:advice_more_processes) if found.decides?)]
      end

      # The suffix of a fact's name says its unit.
      def facts(facts)
        facts.to_h { |name, value| [name, fact(name.to_s, value)] }
      end

      private

      def assumed?(widened)
        return false unless widened&.spread&.assumed?
        ends = [widened.alone, widened.interval].map { |range| range.minmax.map { |bound| share(bound) } }
        ends.uniq.size > 1
      end

      def cause(name, figure)
        (name == :swings) ? View::Figures.rate(figure) : share(figure)
      end

      def size(candidate)
        io = candidate.io_threads.positive? ? "+#{candidate.io_threads} io" : ""
        threads = candidate.other_threads.any? ? "(#{candidate.caps.join("+")})" : candidate.threads
        {processes: candidate.processes, threads: "#{threads}#{io}"}
      end

      def slice(candidate)
        "#{candidate.time_slice_ns / MS} ms"
      end

      def fact(name, value)
        case value
        when nil then View::Figures::NONE
        when String then SYSTEMS.include?(name) ? called(value) : View::Width.clean(value)
        when Numeric then number(name, value)
        when Hash then phrase(**value)
        when Array then @words.list(value.map { |part| View::Width.clean(part) })
        else value.to_s
        end
      end

      def called(text) = View::CalledSystem.text(*text.split(" ", 2), words: @words)

      # A part of a sentence that has facts of its own.
      def phrase(phrase:, **values)
        @words.call(:"phrase_#{phrase}", **facts(values))
      end

      def number(name, value)
        return View::Figures.duration(value) if name.end_with?("_ns")
        return View::Figures.share(value) if name.end_with?("_share")
        return View::Figures.bytes(value.round) if name.end_with?("_bytes")
        (value % 1).zero? ? View::Figures.count(value) : View::Figures.rate(value)
      end

      # The errors of earlier predictions and the corrections made for them: a sentence for readers, figures
      # for programs.
      class Bias
        # @param corrections [Hash{Symbol => Sizing::PredictionBias::BiasCorrection}]
        def initialize(corrections, words:)
          @corrections = corrections
          @words = words
          @figures = AdviceFigures.new(words)
        end

        # @return [Array<String>] empty while nothing is learned
        def sentences
          return [] if @corrections.empty?
          [@words.call(:advice_bias,
            count: View::Figures.count(@corrections.each_value.map(&:predictions).max),
            came: each(&:ratio), by: each(&:factor))]
        end

        # @return [Hash{Symbol => Hash}] of :response, :p95, :wait, those that are known
        def self.json(corrections)
          corrections.transform_values { |found|
            {predictions: found.predictions, ratio: found.ratio.round(4), factor: found.factor.round(4)}
          }
        end

        private

        def each
          texts = @corrections.map { |name, found|
            "#{@words.call(:"advice_bias_#{name}")} #{@figures.signed(yield(found) - 1)}"
          }
          @words.list(texts)
        end
      end
    end
  end
end
