# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # A thread was in one state from one tick to another.
    #
    # - `state`: :running, :stalled, :idle, :unknown, :absent (not born, or dead)
    # - `kind`: of an idle one :io, :lock, :sleep, nil where the window ends in it; of a stalled one
    #   :preempted, or nil
    # - `unit`: number of the unit in it, 0 for none
    ThreadSpan = Struct.new(:state, :from, :to, :unit, :kind) do
      # @return [Integer] ticks
      def length = to - from
    end
  end
end
