# frozen_string_literal: true

module Holdup
  module Analysis
    # Adds windows of *different* series up (a window merges with its own kind only): the total of a report, a
    # queue, a setting. Mutable inside, frozen windows come out.
    class WindowSum
      def initialize
        @totals = Window::Totals.new
      end

      # @param window [Holdup::Window]
      # @return [self]
      def add(window)
        @totals.add(window)
        self
      end

      # @param series [Holdup::Series] what the sum is called
      # @return [Holdup::Window]
      def to_window(series)
        Window.new(start_s: nil, seconds: 0, series:, setting: nil, host: nil, **@totals.to_h)
      end

      # @param windows [Array<Holdup::Window>]
      # @param series [Holdup::Series] what the sum is called
      # @return [Holdup::Window]
      def self.sum(windows, series: windows.first.series)
        windows.each_with_object(new) { |window, tally| tally.add(window) }.to_window(series)
      end

      # Takes the sums of nested units off a total. Their number stays: they are units, only their time is in
      # twice.
      # @param window [Holdup::Window] the total
      # @param nested [Holdup::Window] of kind :nested
      # @return [Holdup::Window]
      def self.subtract(window, nested)
        sums = window.sums.to_h { |name, value| [name, value - nested.sums[name]] }
        histograms = window.histograms.to_h do |name, histogram|
          [name, histogram.with(sum: histogram.sum - nested.histograms[name].sum)]
        end
        window.with(sums:, histograms:)
      end
    end
  end
end
