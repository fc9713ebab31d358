# frozen_string_literal: true

module Holdup
  module Sizing
    # What passes from one holder's end to the next one's start when somebody waits: a thread has to wake up,
    # on a CPU that mostly slept. 20 to 70 us were measured: less the busier the machine. Two things that were
    # measured bound it, and the lower bound counts:
    #
    # - The probe counts what units waited while nobody held the GVL. A replay may have no more of that.
    #   (Where CPUs are short it is mostly waiting for one of them, which replays know otherwise.)
    # - Waits may not come out longer than they were. (By that alone whatever else a replay lacks is taken for
    #   hand-off, and saturated threads come out 6 % too slow.)
    module Handoff
      # Where nothing was recorded that could tell.
      NS = 30_000
      LONGEST_NS = 200_000
      # Below that share waits don't depend on it.
      FELT = 0.005

      # ns of a unit, on average. `handoff_ns`: of its stall, while nobody held the GVL, nil where nobody
      # knows; `wait_ns`: all that hand-offs lengthen
      HandoffTimes = Data.define(:handoff_ns, :wait_ns)

      # @param measured [HandoffTimes]
      # @yieldparam handoff_ns [Numeric]
      # @yieldreturn [HandoffTimes] replayed with that
      # @return [Numeric] ns
      def self.fit(measured, &replay)
        without, with = [0, NS].map(&replay)
        [counted(measured, with, &replay), felt(measured, without, with)].compact.min&.clamp(0,
          LONGEST_NS) || NS
      end

      # Nearly proportional: the second attempt is right.
      def self.counted(measured, with)
        return unless measured.handoff_ns&.positive? && with.handoff_ns.positive?
        first = [NS * measured.handoff_ns / with.handoff_ns.to_f, LONGEST_NS].min
        first * measured.handoff_ns / yield(first).handoff_ns
      end

      def self.felt(measured, without, with)
        step = with.wait_ns - without.wait_ns
        NS * (measured.wait_ns - without.wait_ns) / step.to_f if step.abs > FELT * measured.wait_ns
      end
      private_class_method :counted, :felt
    end
  end
end
