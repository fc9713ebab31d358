# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # One thread: its spans, which fill the window from end to end, and its sums as the probe has them (ticks;
    # only what ended inside the window, as the probe adds a period when it ends).
    class Lane
      # @return [Integer] number of the thread
      attr_reader :number
      # @return [Integer] which GVL
      attr_reader :ledger
      # @return [String, nil]
      attr_reader :name
      # @return [Array<ThreadSpan>]
      attr_reader :spans
      # @return [Hash{Symbol => Integer}] :running, :stalled, :io, :lock, :sleep, :caused
      attr_reader :sums
      # @return [Array<TimelineUnit>] those that are open, in the order in which they began
      attr_reader :units
      # @return [Integer, nil] when the hold ended, nil while it lasts
      attr_accessor :hold_end

      # @param number [Integer]
      # @param state [Symbol] of the window's begin
      def initialize(number, state:, ledger:, name: nil, unit: 0)
        @number = number
        @ledger = ledger
        @name = name
        @spans = []
        @sums = Hash.new(0)
        @units = []
        @open = ThreadSpan.new(state, 0, nil, unit, nil)
      end

      # @return [Integer] when the open span began
      def at = @open.from

      # @return [Symbol] of the open span
      def state = @open.state

      # Ends the open span and begins the next.
      # @param kind [Symbol, nil] of the span that ends
      # @return [void]
      def turn(state, at, unit: @open.unit, kind: @open.kind)
        finish(at, kind)
        @sums[sum] += at - @open.from if sum
        @open = ThreadSpan.new(state, at, nil, unit, nil)
      end

      # The thread waits because it lost the GVL, and was not idle before.
      # @return [void]
      def preempted = @open.kind = :preempted

      # What was taken for an idle period was none: an interrupt was pending.
      # @return [void]
      def never_stopped = @open.state = :running

      # Its open hold ended.
      # @return [void]
      def blame(ticks) = @sums[:caused] += ticks

      # The window ends. A hold counts up to there, a period of another state only when it ends.
      # @return [self]
      def close(at)
        @sums[:running] += at - @open.from if state == :running
        finish(at, @open.kind)
        self
      end

      # @return [Array<Array<ThreadSpan>>] of each hold, the spans that it is made of
      def runs
        @runs ||= @spans.slice_when { |one, other| other.state != one.state }.select { |run|
          run.first.state == :running
        }
      end

      private

      def finish(at, kind)
        return if at <= @open.from
        @open.to = at
        @open.kind = kind
        @spans << @open
      end

      # Which sum the open span belongs to. After the last SUSPENDED of a thread that exits there is none.
      def sum
        case state
        when :running, :stalled then state
        when :idle then @open.kind
        end
      end
    end
  end
end
