# frozen_string_literal: true

module Holdup
  module Advise
    # Why a replay gives no answer, in a few words. `holdup advise` says more.
    module NoAnswer
      KNOWN = %i[
        idle starting no_capacity_yet slo_out_of_reach no_slo no_recording few_units few_unit_samples
        warming_up mixed_settings mixed_applications vcpus_unknown not_enough self_test unsupported
      ].freeze

      # @param reasons [Array<Symbol, String>] of Sizing::Recommendation, Slo or Scaling::ScalingSignal; the
      #   first says why, the others explain it
      # @return [String]
      def self.text(reasons, words:)
        reason = KNOWN.find { |known| known == reasons.first.to_s.to_sym } || :other
        words.call(:"no_answer_#{reason}")
      end
    end
  end
end
