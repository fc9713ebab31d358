# frozen_string_literal: true

module Holdup
  module Instrumentation
    # Knows in which steps another program's clock moves, from the times that it sends. Waits that are counted
    # from a time in whole seconds are up to a second too long: on an idle server they look like a queue.
    #
    #   step.fine_enough?(started_ns, waited_ns)
    #
    # A step is assumed until a time disproves it, because the first waits would be wrong otherwise; a clock
    # of milliseconds does so with nine of ten times. It is assumed again after MEMORY times in a row that fit
    # it, because a proxy's configuration may change.
    class ClockStep
      SECOND_NS = 1_000_000_000
      TENTH_NS = 100_000_000
      HUNDREDTH_NS = 10_000_000
      MEMORY = 100
      # Seconds as a Float of today are exact to a quarter of a microsecond.
      TOLERANCE_NS = 1_000
      # A step may be a tenth of what is measured.
      LEAST_STEPS = 10
      # Each wait counts for so much of the mean.
      MEAN_SHARE = 1 / 64.0
      # Fewer times may fit a step by chance.
      FEW = 10
      LONG_AGO = -MEMORY

      # @return [Integer] how many times were seen
      attr_reader :seen

      def initialize
        @seen = 0
        @mean_ns = 0.0
        @off_second = @off_tenth = @off_hundredth = LONG_AGO
      end

      # Threads call it at once: a lost update delays what it knows by one time.
      # @param time_ns [Integer] since 1970, from the other clock
      # @param waited_ns [Integer] since then
      # @return [Boolean] whether the wait is exact enough to be used
      def fine_enough?(time_ns, waited_ns)
        @seen += 1
        if off?(time_ns, HUNDREDTH_NS)
          @off_hundredth = @seen
          return true
        end
        @off_tenth = @seen if off?(time_ns, TENTH_NS)
        @off_second = @seen if off?(time_ns, SECOND_NS)
        @mean_ns += (waited_ns - @mean_ns) * MEAN_SHARE
        !too_coarse?
      end

      # @return [Boolean] whether the step is more than a tenth of what is measured
      def too_coarse?
        step = step_ns
        !step.nil? && @mean_ns < step * LEAST_STEPS
      end

      # @return [Integer, nil] the coarsest step that fits the latest times; nil: it is finer than 10 ms
      def step_ns
        return if recent?(@off_hundredth)
        return HUNDREDTH_NS if recent?(@off_tenth)
        recent?(@off_second) ? TENTH_NS : SECOND_NS
      end

      # @return [Boolean] whether enough times have shown the step
      def known? = @seen >= FEW

      private

      def recent?(seen) = @seen - seen < MEMORY

      def off?(time_ns, step_ns)
        rest = time_ns % step_ns
        rest > TOLERANCE_NS && step_ns - rest > TOLERANCE_NS
      end
    end
  end
end
