# frozen_string_literal: true

module Holdup
  module Store
    # What was stored of a stretch of time, added up over everything that was not to be kept apart.
    #
    # - `window`: Window from the earliest start to the latest end
    # - `covered_s`: seconds of all the windows in it, one after the other: of ten processes' minute 600
    SpanSum = Data.define(:window, :covered_s) do
      # The plain way, for windows that are at hand; SQL has a shorter one, and both come to the same.
      # @param windows [Enumerable<Window>]
      # @param step_s [Integer, nil] what starts in different steps stays apart; nil: only one stretch
      # @param settings [Array<Setting>, nil] that are wanted; nil for all
      # @param together [Series, nil] what all series are put together under; nil: each by itself
      # @param histograms [Array<Symbol>] that are wanted; the others are left empty
      # @return [Array<SpanSum>] one for each step, series and setting
      def self.of(windows, step_s: nil, settings: nil, together: nil, histograms: Window::HISTOGRAMS)
        windows = windows.select { |window| settings.include?(window.setting) } if settings
        left_out = (Window::HISTOGRAMS - histograms).to_h { |name| [name, Histogram.empty] }
        add(
          windows.map { |window|
            new(
              window: window.with(series: together || window.series,
                histograms: window.histograms.merge(left_out)), covered_s: window.seconds
            )
          }, step_s:
        )
      end

      # @param sums [Array<SpanSum>]
      # @param step_s [Integer, nil]
      # @return [Array<SpanSum>] one for each step, series and setting
      def self.add(sums, step_s: nil)
        sums.group_by { |sum| [step_s && sum.window.start_s / step_s, sum.window.series, sum.window.setting] }
          .map { |_, same|
          (same.size == 1) ? same.first : new(window: Window.sum(same.map(&:window)),
            covered_s: same.sum(&:covered_s))
        }
      end
    end
  end
end
