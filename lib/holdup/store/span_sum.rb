# frozen_string_literal: true

module Holdup
  module Store
    # What was stored of a span of time, added up.
    #
    # - `window`: Window from the earliest start to the latest end
    # - `covered_s`: seconds of all the windows in it, one after the other: of ten processes' minute 600
    SpanSum = Data.define(:window, :covered_s) do
      # The plain way, for windows in memory; Sql::Sums is a shorter one with the same result.
      # @param step_s [Integer, nil] what starts in different steps stays apart; nil: all is one
      # @param settings [Array<Setting>, nil] that are wanted; nil for all
      # @param together [Series, nil] under which all series are added up; nil: each by itself
      # @param histograms [Array<Symbol>] that are wanted; the others are left empty
      # @return [Array<SpanSum>] one for each step, series and setting
      def self.of(windows, step_s: nil, settings: nil, together: nil, histograms: Window::HISTOGRAMS)
        windows = windows.select { |window| settings.include?(window.setting) } if settings
        left_out = (Window::HISTOGRAMS - histograms).to_h { |name| [name, Histogram.empty] }
        sums = windows.map do |window|
          kept = window.with(series: together || window.series, histograms: window.histograms.merge(left_out))
          new(window: kept, covered_s: window.seconds)
        end
        add(sums, step_s:)
      end

      # @return [Array<SpanSum>] one for each step, series and setting
      def self.add(sums, step_s: nil)
        by_step = sums.group_by do |sum|
          [step_s && sum.window.start_s / step_s, sum.window.series, sum.window.setting]
        end
        by_step.values.map do |same|
          next same.first if same.size == 1
          new(window: Window.sum(same.map(&:window)), covered_s: same.sum(&:covered_s))
        end
      end
    end
  end
end
