# frozen_string_literal: true

require_relative "../histogram"
require_relative "members"

module Holdup
  # Adds many windows of one series up, decoding and copying nothing twice.
  class Window::Accumulator
    # @param window [Window] the first
    def initialize(window)
      @series = window.series
      @setting = window.setting
      @host = window.host
      @start_s = window.start_s
      @end_s = window.end_s
      @count = @errors = 0
      @sums = Window::SUMS.to_h { |name| [name, 0] }
      @histograms = Window::HISTOGRAMS.to_h { |name| [name, Histogram::Accumulator.new] }
      add_numbers(window)
    end

    # @param window [Window] of the same series
    # @return [self]
    # @raise [ArgumentError] for another series
    def add(window)
      raise ArgumentError, "can't merge #{window.series.inspect} into #{@series.inspect}" unless window.series == @series
      widen(window)
      add_numbers(window)
      self
    end

    # @return [Window]
    def to_window
      Window.new(start_s: @start_s, seconds: @start_s ? @end_s - @start_s : 0, series: @series, setting: @setting, host: @host,
        count: @count, errors: @errors, sums: @sums, histograms: @histograms.transform_values(&:to_histogram))
    end

    private

    def widen(window)
      return if window.start_s.nil?
      @setting, @host = unite(window)
      @start_s = [@start_s, window.start_s].compact.min
      @end_s = [@end_s, window.end_s].compact.max
    end

    # A setting or host that is not the same for all is no longer a fact of the merged window. One that has no span yet
    # is a neutral element and has no say.
    def unite(window)
      return [window.setting, window.host] if @start_s.nil?
      [(@setting == window.setting) ? @setting : nil, (@host == window.host) ? @host : nil]
    end

    def add_numbers(window)
      @count += window.count
      @errors += window.errors
      window.sums.each { |name, value| @sums[name] += value }
      window.histograms.each { |name, histogram| @histograms[name].add(histogram) }
    end
  end
end
