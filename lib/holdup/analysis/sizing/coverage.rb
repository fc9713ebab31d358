# frozen_string_literal: true

module Holdup
  module Analysis
    module Sizing
      # How much of each minute a recording has: of the first and of the last one mostly a part. Taken for whole minutes, these would
      # have half the load that they had, and a short recording would be nothing but such minutes.
      class Coverage
        MINUTE_S = 60
        NS = 1_000_000_000
        # Less of a minute than this tells nothing of its load.
        LEAST_S = 5

        # @param profiles [Array<UnitProfile>] the first and the last of which tell from when to when
        def initialize(profiles)
          @from_s = profiles.map(&:start_ns).min&.fdiv(NS)
          @to_s = profiles.map(&:end_ns).max&.fdiv(NS)
        end

        # @param minute_s [Integer] its start
        # @return [Float] seconds
        def seconds(minute_s)
          return MINUTE_S.to_f unless @from_s
          ([minute_s + MINUTE_S, @to_s].min - [minute_s, @from_s].max).clamp(0.0, MINUTE_S.to_f)
        end

        # @param minute_s [Integer]
        # @return [Boolean]
        def enough?(minute_s) = seconds(minute_s) >= LEAST_S
      end
    end
  end
end
