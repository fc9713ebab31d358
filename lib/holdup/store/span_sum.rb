# frozen_string_literal: true

module Holdup
  module Store
    # The stored windows of a span, added up.
    #
    # - `window`: from the earliest start to the latest end
    # - `covered_s`: sum of the lengths of its windows: 600 for one minute of ten processes
    SpanSum = Data.define(:window, :covered_s) do
      # For windows in memory; Sql::Sums gives the same result faster. Options: see Sql#sums.
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

      # One for each step, series and setting.
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
