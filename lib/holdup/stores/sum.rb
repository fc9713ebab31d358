# frozen_string_literal: true

require_relative "../window"

module Holdup
  module Stores
    # What was stored of a stretch of time, added up over everything that was not to be kept apart.
    #
    # - `window`: Window from the earliest start to the latest end
    # - `covered_s`: seconds of all the windows in it, one after the other: of ten processes' minute 600
    Sum = Data.define(:window, :covered_s) do
      # The plain way, for windows that are at hand; SQL has a shorter one, and both come to the same.
      # @param windows [Enumerable<Window>]
      # @param step_s [Integer, nil] what starts in different steps stays apart; nil: only one stretch
      # @param together [Series, nil] what all series are put together under; nil: each by itself
      # @return [Array<Sum>] one for each step, series and setting
      def self.of(windows, step_s: nil, together: nil)
        windows.group_by { |window| [step_s && window.start_s / step_s, together || window.series, window.setting] }
          .map { |(_, series, _), same| new(window: Window.sum(same.map { |window| window.with(series:) }), covered_s: same.sum(&:seconds)) }
      end
    end
  end
end
