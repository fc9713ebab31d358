# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # A unit, or the part of it that lies in the window. Times are ticks since the window's begin; `from` is
    # below 0 for one that began before, `to` nil for one that outlived it.
    #
    # - `id`: a number in this capture, in the order in which they began
    # - `number`: what events call it; `name`, `queue`: nil when it ended outside of the window or was not
    #   recorded
    # - `base`: what its thread had caused by its begin; nil when that is not known; `caused`: ticks, nil
    #   likewise
    # - `trace`: id of the trace that it belongs to, 32 hexadecimal digits; nil for none
    TimelineUnit = Struct.new(:id, :number, :lane, :from, :to, :name, :queue, :job, :failed, :fibers, :lost,
      :base, :caused, :trace) do
      # @return [Boolean] whether all of it is in the window
      def whole?
        !to.nil? && !lost && !base.nil?
      end
    end
  end
end
