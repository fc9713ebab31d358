# frozen_string_literal: true

module Holdup
  module Advise
    # Why nothing can be advised or replayed yet, in one sentence with one action. AdviceVerdict#details has
    # all causes.
    class AdviceRefusal
      # Reasons that a recording on a host without free CPUs gives, whichever of them comes first.
      MEASURED = %i[self_test not_enough few_units few_unit_samples warming_up].freeze
      # Causes of an inexact self-test that say more than those whose figures are compared.
      FIRST = %i[overload refuted peak_contradicted].freeze
      KNOWN = %i[no_recording not_enough few_units few_unit_samples mixed_settings mixed_applications
        warming_up unsupported vcpus_unknown self_test].freeze

      # @param result [Sizing::AdviceResult, nil] with the verdict :unknown; nil without a recording
      # @param shortage [Analysis::CpuShortage::ShortageFigures, nil] nil: there were enough CPUs
      def initialize(result, words:, kind:, shortage: nil)
        @result = result
        @words = words
        @kind = kind
        @shortage = shortage
      end

      # Whether the sentence says that the host has no free CPU.
      def out_of_cpu? = !@shortage.nil? && MEASURED.include?(reason)

      # @return [String]
      def sentence = word(:start, why: cause_sentence)

      # @return [String] the cause and what to do, without that nothing can be advised
      def cause_sentence
        key = out_of_cpu? ? :"out_of_cpu_#{@shortage.culprit}" : cause
        word(key, **facts(key, reason))
      end

      private

      def reason = @result ? @result.reasons.first : :no_recording

      def word(key, **facts) = @words.call(:"refusal_#{key}", **facts)

      def cause
        return :other unless KNOWN.include?(reason)
        return reason unless reason == :self_test
        first = FIRST.find { |cause| self_test_says?(cause) }
        first || @result.self_test.reasons.first || :self_test
      end

      def self_test_says?(cause)
        test = @result.self_test
        case cause
        when :refuted then !test.refuted.nil?
        when :peak_contradicted then !test.peak.nil?
        else test.reasons.include?(cause)
        end
      end

      # @return [Hash{Symbol => Object}] what the sentence of that key is filled with
      def facts(key, reason)
        case key
        when :no_recording then kinds
        when :not_enough, :few_units then recorded
        when :few_unit_samples then unit_samples
        when :warming_up then {share: View::Figures.share(@result.recording.cold_share)}
        when :refuted then ceilings
        when :peak_contradicted then peak
        when :machine_speed then {speed: View::Figures.share(@result.self_test.causes.figures[key])}
        when :other then {problem: reason.to_s.tr("_", " ")}
        when /\Aout_of_cpu/ then cpus
        else {}
        end
      end

      # An application that runs jobs only is asked about requests too.
      def kinds
        option = (@kind == :job) ? :request : :job
        kind, other = [@kind, option].map { |one| @words.call(:"advice_kind_#{one}") }
        {kind:, other:, option:}
      end

      def recorded
        sampling = AdviceVerdict::Sampling.new(@result, words: @words)
        {**sampling.facts.slice(:units, :time), needed: Sizing::Recording::RecordingChecks::FEWEST_UNITS}
      end

      def unit_samples
        {unit_samples: View::Figures.count(@result.recording.unit_samples),
         needed: Sizing::Recording::RecordingChecks::FEWEST_UNIT_SAMPLES}
      end

      def ceilings
        test = @result.self_test
        {served: View::Figures.rate(test.measured.throughput),
         ceiling: View::Figures.rate(test.predicted.throughput)}
      end

      def peak
        found = @result.self_test.peak
        replayed, measured = [found.replayed_ns, found.measured_ns].map { |ns| View::Figures.duration(ns) }
        {replayed:, measured:, percentile: Sizing::Slo.new(percentile: found.percentile).name}
      end

      def cpus
        numbers = @shortage.to_h.slice(:taken, :vcpus)
        numbers.transform_values { |number| View::Remarks::OutOfCpu.cpus(number) }
      end
    end
  end
end
