# frozen_string_literal: true

require_relative "../histogram"
require_relative "members"

module Holdup
  # The numbers of many windows added up, whatever series they are of: no histogram is decoded or copied
  # twice.
  class Window::Totals
    def initialize
      @count = @errors = 0
      @sums = Window::SUMS.to_h { |name| [name, 0] }
      @histograms = Window::HISTOGRAMS.to_h { |name| [name, HistogramSum.new] }
    end

    # @param window [Window]
    # @return [self]
    def add(window)
      @count += window.count
      @errors += window.errors
      window.sums.each { |name, value| @sums[name] += value }
      window.histograms.each { |name, histogram| @histograms[name].add(histogram) }
      self
    end

    # @return [Hash{Symbol => Object}] count, errors, sums and histograms of a Window
    def to_h
      {count: @count, errors: @errors, sums: @sums, histograms: @histograms.transform_values(&:to_histogram)}
    end
  end
end
