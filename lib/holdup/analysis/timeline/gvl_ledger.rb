# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # The sums of one GVL, done again as the probe does them (ext/holdup/blame.h): with W threads waiting
    # since times that add up to M, W * t - M is what all have waited by t. So what a hold caused is a
    # difference, tick by tick the probe's.
    class GvlLedger
      # @return [Lane, nil] who holds
      attr_reader :holder

      # @return [Integer] ticks that threads waited while nobody held
      attr_reader :handoff

      # @param waiting [Integer] threads that wait when the window begins
      # @param holder [Lane, nil] who holds then
      def initialize(waiting: 0, holder: nil)
        @waiting = waiting
        @holder = holder
        @moment = @opened = @closed = @handoff = 0
      end

      # @return [void]
      def add_waiter(at)
        @waiting += 1
        @moment += at
      end

      # @return [void]
      def drop_waiter(at)
        @waiting -= 1
        @moment -= at
      end

      # A thread takes the GVL.
      # @return [void]
      def open(lane, at)
        @opened = waited(at)
        @handoff += @opened - @closed
        @holder = lane
      end

      # The open hold ended at `at`; it goes to its holder's account.
      # @return [void]
      def close(at)
        @closed = waited(at)
        @holder&.blame(@closed - @opened)
        @holder = nil
      end

      private

      def waited(at) = @waiting * at - @moment
    end
  end
end
