# frozen_string_literal: true

module Holdup
  class Collector
    # What one tick brings in from all segments, merged: one window for each series, setting and minute.
    class WindowBuilder
      def initialize
        @tallies = {}
        @paths = {}
      end

      # @return [Hash{Series => String}] that were not known before
      attr_reader :paths

      # @param change [SlotDelta] what was added
      # @param source [DeltaSource]
      # @return [void]
      def add(change, source)
        tally(change.series.plain, source).add(change)
        @paths[change.series] = change.path if change.path
        if change.series.unit?
          [source.process, *change.series.views].each { |view| tally(view, source).add(change) }
        elsif change.series.kind == :nested
          tally(source.process, source).subtract(change)
        end
      end

      # Stall while nobody held the GVL; nobody caused it, so it has a book of its own.
      # @param handoff_ns [Integer]
      # @param source [DeltaSource]
      # @return [void]
      def add_handoff(handoff_ns, source)
        tally(Series::HANDOFF, source).add(SlotDelta.of_handoff(Series::HANDOFF, handoff_ns))
      end

      # Where a change comes from. `process`: Series of the process; `setting`: Setting; `pid`; `start_s`: the
      # minute
      DeltaSource = Data.define(:process, :setting, :pid, :start_s)

      # @param host [String]
      # @return [Array<Window>]
      def windows(host)
        @tallies.each_value.map { |tally| tally.window(host) }
      end

      private

      def tally(series, source)
        @tallies[[source.start_s, source.setting.fingerprint,
          series]] ||= WindowTotal.new(series, source.setting, source.start_s)
      end
    end
  end
end
