# frozen_string_literal: true

module Holdup
  class Collector
    # What was added to one slot between two readings. `sums` and `histograms` (Growth) in the order of the
    # layout; `path`: one that it has since, else nil.
    SlotDelta = Struct.new(:series, :count, :errors, :sums, :histograms, :path) do
      # @param now [Segment::Slot]
      # @param before [Segment::Slot, nil]
      # @return [SlotDelta, nil] nil when `before` is not a beginning of `now`
      def self.between(now, before)
        before ||= SlotDelta::NOTHING
        sums = Array.new(now.sums.size) { |index| now.sums[index] - before.sums[index] } # zip would make a pair for each
        return if now.count < before.count || now.errors < before.errors || sums.min < 0
        histograms = Array.new(now.histograms.size) { |index|
          HistogramDelta.between(now.histograms[index], before.histograms[index])
        }
        if histograms.all?
          new(now.series, now.count - before.count, now.errors - before.errors, sums, histograms,
            before.path ? nil : now.path)
        end
      end

      # @param series [Series]
      # @param handoff_ns [Integer]
      # @return [SlotDelta] of the book that holds what nobody caused
      def self.of_handoff(series, handoff_ns)
        sums = Array.new(Segment::Layout::SUMS.size, 0)
        sums[Segment::Layout::SUMS.index(:caused_ns)] = handoff_ns
        new(series, 0, 0, sums, [])
      end

      # @return [Boolean] nothing in it, not even a sum
      def empty?
        count.zero? && sums.all?(&:zero?) && histograms.all? { |growth| growth.sum.zero? }
      end
    end

    SlotDelta::NOTHING = Segment::Slot.new(nil, 0, 0, Array.new(Segment::Layout::SUMS.size, 0).freeze,
      Array.new(Segment::Layout::HISTOGRAMS.size) { Segment::HistogramCells.new(0, 0, 0, 0, 0, 0, [].freeze).freeze }.freeze).freeze
  end
end
