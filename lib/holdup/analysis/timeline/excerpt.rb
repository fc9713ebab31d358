# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # What lies between two moments of a scene.
    class Excerpt
      # @return [Integer] ticks since the window's begin
      attr_reader :from, :to

      # @param scene [Scene]
      # @param from [Integer] ticks
      # @param to [Integer] ticks
      def initialize(scene, from: 0, to: scene.recording.length_ticks)
        @scene = scene
        @from = from
        @to = to
      end

      # @return [Boolean] whether that is all
      def whole?
        @from <= 0 && @to >= @scene.recording.length_ticks
      end

      # @return [Array<GvlWait>] cut to it
      def waits
        @waits ||= whole? ? @scene.waits : @scene.lanes.flat_map { |lane|
          stalls(lane).map { |span| @scene.wait(lane, span) }
        }
      end

      # @return [Array<TimelineUnit>] whose end is known, and of which some lies in it
      def units
        @scene.whole_units.select { |unit| within?(unit.from, unit.to) }
      end

      private

      def within?(from, to)
        from < @to && to > @from
      end

      def stalls(lane)
        found = lane.spans.select { |span| span.state == :stalled && within?(span.from, span.to) }
        found.map { |span|
          ThreadSpan.new(span.state, [span.from, @from].max, [span.to, @to].min, span.unit, span.kind)
        }
      end
    end
  end
end
