# frozen_string_literal: true

module Holdup
  # The system's clocks. Other classes take a clock as an argument, so that tests can move it by hand.
  class Clock
    # @return [Integer] nanoseconds since 1970, jumps when the clock is set
    def realtime_ns
      Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
    end

    # @return [Integer] whole seconds since 1970
    def realtime_s
      Process.clock_gettime(Process::CLOCK_REALTIME, :second)
    end

    # @return [Integer] nanoseconds from an arbitrary point, never goes back
    def monotonic_ns
      Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    end
  end
end
