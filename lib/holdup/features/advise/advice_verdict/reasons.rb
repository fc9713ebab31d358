# frozen_string_literal: true

module Holdup
  module Advise
    # Why the number of threads and processes is unknown: a sentence for each reason.
    class AdviceVerdict::Reasons
      # Reasons that have a sentence of their own.
      CAUSES = [:unknown, *Sizing::SelfTest::ErrorCauses::LIMITS.keys].freeze

      KNOWN = (CAUSES + %i[not_enough few_units few_unit_samples self_test queue_unknown vcpus_unknown
        no_recording unsupported mixed_settings mixed_applications warming_up]).freeze

      def initialize(result, words:, kind:)
        @result = result
        @words = words
        @kind = kind
      end

      def call
        of(@result ? @result.reasons : [:no_recording])
      end

      # @return [String] sentences for these reasons; the first may continue one
      def of(reasons)
        said = [:peak_contradicted, *(:overload if reasons.include?(:self_test))]
        first, *others = (reasons - said).map { |key| reason(key) }
        @words.sentences([first, *others.map { |text| text.sub(/\A[a-z]/, &:upcase) }].compact)
      end

      private

      def word(key, **facts)
        @words.call(:"advice_#{key}", **facts)
      end

      def reason(key)
        return word(:reason_other, problem: key.to_s.tr("_", " ")) unless KNOWN.include?(key)
        key = :not_enough if key == :few_units
        return failed if key == :self_test
        word(:"reason_#{key}", **facts_of(key))
      end

      # A replay may seem right where the model is not, or its peak. With a queue without end none is.
      def failed
        test = @result.self_test
        return word(:reason_overload, **facts_of(:overload)) if test.reasons.include?(:overload)
        return refuted(test) if test.refuted
        return peak_contradicted(test.peak) if test.peak
        word(:reason_self_test, **AdviceFigures.new(@words).errors(test))
      end

      def peak_contradicted(peak)
        replayed, measured = [peak.replayed_ns, peak.measured_ns].map { |ns| View::Figures.duration(ns) }
        word(:reason_peak_contradicted, replayed:, measured:,
          percentile: Sizing::Slo.new(percentile: peak.percentile).name)
      end

      def refuted(test)
        word(:reason_refuted, served: View::Figures.rate(test.measured.throughput),
          ceiling: View::Figures.rate(test.predicted.throughput))
      end

      def facts_of(key)
        case key
        when :not_enough then AdviceVerdict::Sampling.new(@result, words: @words).facts
        when :few_unit_samples then {unit_samples: View::Figures.count(@result.recording.unit_samples)}
        when *CAUSES then AdviceFigures.new(@words).causes(@result.self_test.causes)
        when :no_recording then kinds
        when :warming_up then warming_up
        else {}
        end
      end

      def warming_up
        {share: AdviceFigures.new(@words).share(@result.recording.cold_share)}
      end

      # An application that runs jobs only is asked about requests too.
      def kinds
        option = (@kind == :job) ? :request : :job
        {kind: word(:"kind_#{@kind}"), other: word(:"kind_#{option}"), option:}
      end
    end
  end
end
