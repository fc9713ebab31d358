# frozen_string_literal: true

module Holdup
  module Advice
    # A recording too short for what is concluded from it: says what is missing, not a number of requests that
    # would do for everybody.
    module RecordingTooShort
      # Twelve blocks of ten minutes.
      WANTED_MINUTES = 120

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        found = situation.recommendation&.sufficiency
        return if found.nil? || found.enough? || found.units.zero?
        Finding.new(rule: :short_sampling, remedy: :measuring,
          facts: {units: found.units, minutes: found.minutes, wanted: WANTED_MINUTES, width_share: found.widths.values.max, query: "advise --since 3h"})
      end
    end
  end
end
