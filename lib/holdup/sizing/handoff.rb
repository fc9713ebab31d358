# frozen_string_literal: true

module Holdup
  module Sizing
    # The hand-off: time from one holder's release of the GVL to the next one's start while threads wait. A
    # thread has to wake up, on a CPU that mostly slept. 20 to 70 us were measured, less on busier machines.
    # Two measured figures bound it, and the lower bound counts:
    #
    # - The probe counts how long units waited while no thread held the GVL. A replay may not have more of it.
    #   (Where CPUs are short, that is mostly waiting for a CPU, which replays model separately.)
    # - Replayed waits may not be longer than the measured ones. (That bound alone would count every other
    #   error of a replay as hand-off: saturated threads come out 6 % too slow.)
    module Handoff
      # Where no recorded figure bounds it.
      NS = 30_000
      LONGEST_NS = 200_000
      # Share of the waits below which they do not depend on it.
      FELT = 0.005

      # ns of a unit, on average. `handoff_ns`: of its stall, while nobody held the GVL, nil where nobody
      # knows; `wait_ns`: all that hand-offs lengthen
      HandoffTimes = Data.define(:handoff_ns, :wait_ns)

      # @yieldreturn [HandoffTimes] replayed with that
      # @return [Numeric] ns
      def self.fit(measured, &replay)
        without, with = [0, NS].map(&replay)
        bound = [counted(measured, with, &replay), felt(measured, without, with)].compact.min
        bound&.clamp(0, LONGEST_NS) || NS
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
