# frozen_string_literal: true

module Holdup
  class Collector
    # Merges what one tick reads from all segments: one window for each series, setting and minute.
    class WindowBuilder
      # Origin of a change. `process`: Series of the process; `start_s`: the minute
      DeltaSource = Data.define(:process, :setting, :pid, :start_s)

      # @return [Hash{Series => String}] paths that are new
      attr_reader :paths

      def initialize
        @totals = {}
        @paths = {}
      end

      def add(change, source)
        totals(change.series.plain, source).add_delta(change)
        @paths[change.series] = change.path if change.path
        if change.series.unit?
          [source.process, *change.series.views].each { |view| totals(view, source).add_delta(change) }
        elsif change.series.kind == :nested
          totals(source.process, source).subtract_time(change)
        end
      end

      # Stall while no thread held the GVL: no unit caused it, so it has its own account.
      def add_handoff(handoff_ns, source)
        totals(Series::HANDOFF, source).add_delta(SlotDelta.of_handoff(Series::HANDOFF, handoff_ns))
      end

      def windows(host)
        @totals.flat_map do |(start_s, setting), by_series|
          by_series.map do |series, totals|
            Window.new(start_s:, seconds: 60, series:, setting:, host:, **totals.to_h)
          end
        end
      end

      private

      # Changes of one source come one after the other.
      def totals(series, source)
        unless @source.equal?(source)
          @source = source
          @of_source = (@totals[[source.start_s, source.setting]] ||= {})
        end
        @of_source[series] ||= Window::Totals.new
      end
    end
  end
end
