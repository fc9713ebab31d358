# frozen_string_literal: true

module Holdup
  module Analysis
    module Sizing
      # What passes from one holder's end to the next one's start when somebody waits. 20 to 50 us were measured; but how much of that
      # a replay needs depends on what no recording tells, above all on how unlike the gaps between a unit's holds are: those of a few
      # microseconds hardly ever meet anybody. So it is taken as what makes the recording's own setting come out, and other settings
      # are then the test of it.
      module Handoff
        # Where nothing was recorded that could tell.
        NS = 30_000
        LARGEST_NS = 100_000
        # Below that share the figure doesn't depend on it.
        FELT = 0.005

        # @param measured [Numeric] a figure of the recording that hand-offs move
        # @yieldparam handoff_ns [Integer]
        # @yieldreturn [Numeric] the figure, replayed with that
        # @return [Numeric] ns, with which about the measured one comes out
        def self.fit(measured)
          without, with = [0, NS].map { |ns| yield ns }
          step = with - without
          return NS if step.abs <= FELT * measured.abs
          (NS * (measured - without) / step.to_f).clamp(0, LARGEST_NS)
        end
      end
    end
  end
end
