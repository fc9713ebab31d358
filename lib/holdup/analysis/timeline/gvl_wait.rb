# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # One wait for the GVL, and who had it meanwhile; what is left over was the hand-off.
    GvlWait = Data.define(:lane, :span, :parts) do
      # @return [Integer] ticks while nobody held
      def handoff = span.length - parts.sum(&:ticks)
    end

    # `lane` held for `ticks` of the wait since `from`, in `unit` (nil: in none).
    GvlWait::WaitPart = Data.define(:lane, :unit, :from, :ticks)
  end
end
