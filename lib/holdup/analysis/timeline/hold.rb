# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # `unit`: the one that took most of it, nil for none.
    Hold = Data.define(:lane, :from, :to, :unit) do
      # @return [Integer] ticks
      def length = to - from
    end
  end
end
