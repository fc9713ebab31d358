# frozen_string_literal: true

module Holdup
  module Sizing
    # How many CPUs are there when a process wants one. Others use some of them on average, but not always
    # just then, and the system lets who has slept go first. So it lies between what they leave on average and
    # all there are, and a recording tells where: a thread that waits for a CPU keeps the GVL, and for how
    # long it was held was measured.
    module FreeCpus
      # Of 0.5 CPUs in question a sixteenth is known then.
      STEPS = 4

      # @param range [Range<Numeric>] of vCPUs
      # @param measured [Float] utilisation of a GVL
      # @yieldparam vcpus [Numeric]
      # @yieldreturn [Float] the same, replayed with that
      # @return [Numeric] within the range
      def self.fit(range, measured)
        least, most = range.minmax
        return least if most <= least || yield(least) <= measured
        STEPS.times do
          middle = (least + most) / 2.0
          (yield(middle) > measured) ? least = middle : most = middle
        end
        (least + most) / 2.0
      end
    end
  end
end
