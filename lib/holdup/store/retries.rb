# frozen_string_literal: true

module Holdup
  module Store
    # How often, and for how long, a store does by itself again what its server ended for a reason that
    # passes: another transaction, a restart, a connection that broke. A collector then waits longer by
    # itself.
    class Retries
      MOST = 5
      # Nothing is tried again so long after the first failure.
      LONGEST_S = 3
      # Wait before the first retry; each further one is twice as long. Chance shortens a wait by up to a
      # half, so that two that ended each other do not meet again.
      FIRST_WAIT_S = 0.05
      private_constant :MOST, :LONGEST_S, :FIRST_WAIT_S

      def initialize
        @tries = 0
      end

      # Waits before it says yes.
      # @param error [StoreError]
      def again?(error)
        @deadline_s ||= now_s + LONGEST_S
        return false unless error.passes? && @tries < MOST && now_s < @deadline_s
        sleep(FIRST_WAIT_S * 2**@tries * (1 - rand / 2))
        @tries += 1
        true
      end

      private

      def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
