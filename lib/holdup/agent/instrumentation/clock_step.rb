# frozen_string_literal: true

module Holdup
  module Instrumentation
    # Knows in which steps another program's clock moves, from the times that it sends. Waits that are counted
    # from a time in whole seconds are up to a second too long: on an idle server they look like a queue.
    #
    #   step.fine_enough?(started_ns, waited_ns)
    #
    # A step is assumed until a time disproves it, because the first waits would be wrong otherwise; a clock
    # of milliseconds does so with four of five times. It is assumed again after MEMORY times in a row that
    # fit it, because a proxy's configuration may change.
    class ClockStep
      # Steps that are too coarse for queue times, the coarsest first.
      STEPS_NS = [1000, 500, 250, 200, 100, 50, 25, 20, 10].map { |ms| ms * 1_000_000 }.freeze
      # All steps are multiples of it, so a time that is none of it fits none of them.
      COMMON_NS = 5_000_000
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
        @off_all = LONG_AGO
        @off = Array.new(STEPS_NS.size, LONG_AGO)
      end

      # Threads call it at once: a lost update delays what it knows by one time.
      # @param time_ns [Integer] since 1970, from the other clock
      # @param waited_ns [Integer] since then
      # @return [Boolean] whether the wait is exact enough to be used
      def fine_enough?(time_ns, waited_ns)
        @seen += 1
        if off?(time_ns, COMMON_NS)
          @off_all = @seen
          return true
        end
        @off.each_index { |index| @off[index] = @seen if off?(time_ns, STEPS_NS[index]) }
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
        return if recent?(@off_all)
        index = @off.index { |seen| !recent?(seen) }
        index && STEPS_NS[index]
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
