# frozen_string_literal: true

require_relative "layout"

module Holdup
  module Capture
    # One event of the ring. A Struct, because there are hundreds of thousands: making a Data takes three
    # times as long.
    #
    # - `time`: ticks since the window's begin; `thread`: number of the thread
    # - `detail`: of a scheduler's event the ledger, of a unit's edge what the thread's open hold has caused
    #   (ticks)
    # - `unit`: the one that the thread is in, 0 for none; `waiters`: threads that wait for that GVL, after
    #   the event
    Event = Struct.new(:commit, :thread, :time, :detail, :unit, :waiters, :code, :flags) do
      # @return [Symbol] one of Layout::KINDS
      def kind = Layout::KINDS.fetch(code, :none)

      # @return [Symbol] one of Layout::PHASES: what the thread was in before
      def before = Layout::PHASES[flags & 3]

      # @return [Boolean] whether it stands behind events that are later
      def late? = Layout::LATE.include?(kind)

      # @return [Symbol] one of Layout::IDLE_KINDS, of the idle period that this event ended
      def idle_kind
        Layout::IDLE_KINDS.fetch((flags >> Layout::IDLE_SHIFT) & 3, :io)
      end

      # @return [Integer] `detail` of a unit's edge, which may be negative
      def signed_detail
        (detail >= 1 << 63) ? detail - (1 << 64) : detail
      end

      # @param name [Symbol] a key of Layout::FLAGS that this kind of event has
      def flag?(name)
        flags.anybits?(Layout::FLAGS.fetch(name))
      end
    end
  end
end
