# frozen_string_literal: true

require "holdup/model/series"
require "holdup/segment/slot"

# Slots of a segment as a reader returns them, for tests of the collector.
module SegmentSlots
  L = Holdup::Segment::Layout

  module_function

  # @param histograms [Hash{Symbol => Array<Integer>}] values of the histograms that are not empty
  # @return [Holdup::Segment::Slot]
  def slot(series, count: 0, errors: 0, sums: {}, path: nil, **histograms)
    sums = L::SUMS.map { |name| sums.fetch(name, 0) }
    cells = L::HISTOGRAMS.map { |name| cells(histograms.fetch(name, [])) }
    Holdup::Segment::Slot.new(series, count, errors, sums, cells, path)
  end

  # @return [Holdup::Segment::HistogramCells]
  def cells(values)
    all = Holdup::Histogram.of(values)
    Holdup::Segment::HistogramCells.new(all.count, all.sum, all.min || 0, all.max || 0, all.zero, all.offset,
      all.counts)
  end
end
