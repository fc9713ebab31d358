# frozen_string_literal: true

module Holdup
  class Collector
    # What was added to one series since the last commit, over all processes that share a setting: a window in
    # the making.
    class WindowTotal
      # @param series [Series]
      # @param setting [Setting]
      # @param start_s [Integer] the minute
      def initialize(series, setting, start_s)
        @series = series
        @setting = setting
        @start_s = start_s
        @count = @errors = 0
        @sums = Array.new(Segment::Layout::SUMS.size, 0)
        @histograms = Array.new(Segment::Layout::HISTOGRAMS.size) { DeltaSum.new }
      end

      # @param change [SlotDelta]
      # @return [void]
      def add(change)
        @count += change.count
        @errors += change.errors
        change.sums.each_with_index { |sum, index| @sums[index] += sum }
        change.histograms.each_with_index { |growth, index| @histograms[index].add(growth) }
      end

      # Takes the sums off: of units that ran inside others.
      # @param change [SlotDelta]
      # @return [void]
      def subtract(change)
        change.sums.each_with_index { |sum, index| @sums[index] -= sum }
        change.histograms.each_with_index { |growth, index| @histograms[index].subtract(growth) }
      end

      # @param host [String]
      # @return [Window]
      def window(host)
        Window.new(start_s: @start_s, seconds: 60, series: @series, setting: @setting, host:, count: @count, errors: @errors,
          sums: Segment::Layout::SUMS.zip(@sums).to_h, histograms: Segment::Layout::HISTOGRAMS.zip(@histograms.map(&:to_histogram)).to_h)
      end
    end
  end
end
