# frozen_string_literal: true

require_relative "members"
require_relative "totals"

module Holdup
  # Adds many windows of one series up; the span grows with them.
  class Window::Accumulator
    # @param window [Window] the first
    def initialize(window)
      @series = window.series
      @setting = window.setting
      @host = window.host
      @start_s = window.start_s
      @end_s = window.end_s
      @totals = Window::Totals.new.add(window)
    end

    # @param window [Window] of the same series
    # @return [self]
    # @raise [ArgumentError] for another series
    def add(window)
      unless window.series == @series
        raise ArgumentError, "can't merge #{window.series.inspect} into #{@series.inspect}"
      end
      widen(window)
      @totals.add(window)
      self
    end

    # @return [Window]
    def to_window
      Window.new(start_s: @start_s, seconds: @start_s ? @end_s - @start_s : 0, series: @series,
        setting: @setting, host: @host, **@totals.to_h)
    end

    private

    def widen(window)
      return if window.start_s.nil?
      @setting, @host = unite(window)
      @start_s = [@start_s, window.start_s].compact.min
      @end_s = [@end_s, window.end_s].compact.max
    end

    # A setting or host that is not the same for all is no longer a fact of the merged window. One that has no
    # span yet is a neutral element and has no say.
    def unite(window)
      return [window.setting, window.host] if @start_s.nil?
      [(@setting == window.setting) ? @setting : nil, (@host == window.host) ? @host : nil]
    end
  end
end
