# frozen_string_literal: true

module Holdup
  module Doctor
    # How many checks of this host fail or warn, for the menu of the dashboard. To look takes longer than a
    # page may, so it is done now and then in a thread of its own, and a page shows what was found last.
    class TroublesReader
      EVERY_NS = 60 * NS

      # @param store [#call] opens the store to read
      # @param priority [Integer] of the thread
      def initialize(dir:, store:, clock:, priority: 0)
        @dir = dir
        @store = store
        @clock = clock
        @priority = priority
        @lock = Mutex.new
      end

      # It never waits.
      # @return [Integer, nil] nil before the first look has ended
      def call
        @lock.synchronize { @looking = look if due? }
        @count
      end

      # For tests and for whoever can wait.
      # @return [Integer, nil]
      def wait
        call
        @lock.synchronize { @looking }.join
        @count
      end

      private

      # Whoever was forked meanwhile has no such thread.
      def due?
        return false if @looking&.alive?
        @looked_ns.nil? || @clock.monotonic_ns - @looked_ns >= EVERY_NS
      end

      # A look that fails says nothing; the page Health says why.
      def look
        @looked_ns = @clock.monotonic_ns
        Thread.new do
          Thread.current.name = "holdup health"
          Thread.current.report_on_exception = false
          Thread.current.priority = @priority
          @count = count
        end
      end

      def count
        host = Reader.new(dir: @dir, clock: @clock, segments: SegmentReader, open_store: @store).call
        Checks.call(host).count { |check| !check.ok? }
      end
    end
  end
end
