# frozen_string_literal: true

module Holdup
  module View
    # Why nobody can say how many threads and processes: a sentence for each reason.
    class AdviceReasons
      # Reasons that have a sentence of their own.
      KNOWN = %i[not_enough few_units few_profiles self_test starved waits_beside busy swings queue_unknown unknown vcpus_unknown no_recording
        unsupported mixed_settings mixed_applications warming_up].freeze

      CAUSES = [:unknown, *Sizing::SelfTest::ErrorCauses::LIMITS.keys].freeze

      # @param recommendation [Sizing::Recommendation, nil]
      # @param words [Words]
      # @param kind [Symbol]
      def initialize(recommendation, words:, kind:)
        @recommendation = recommendation
        @words = words
        @kind = kind
      end

      # @return [String]
      def call
        (@recommendation ? @recommendation.reasons : [:no_recording]).map { |key| reason(key) }.join(" ")
      end

      private

      def word(key, **facts)
        @words.call(:"advice_#{key}", **facts)
      end

      def reason(key)
        return word(:reason_other, problem: key.to_s.tr("_", " ")) unless KNOWN.include?(key)
        key = :not_enough if key == :few_units
        word(:"reason_#{key}", **facts_of(key))
      end

      def facts_of(key)
        case key
        when :not_enough then AdviceSampling.new(@recommendation, words: @words).facts
        when :few_profiles then {profiles: Figures.count(@recommendation.recording.profiles.size)}
        when :self_test then AdviceFigures.new(@words).errors(@recommendation.self_test)
        when *CAUSES then AdviceFigures.new(@words).causes(@recommendation.self_test.causes)
        when :no_recording then kinds
        else {}
        end
      end

      # Who runs a job runner only asks for requests all the same.
      def kinds
        option = (@kind == :job) ? :request : :job
        {kind: word(:"kind_#{@kind}"), other: word(:"kind_#{option}"), option:}
      end
    end
  end
end
