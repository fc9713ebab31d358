# frozen_string_literal: true

module Holdup
  module Analysis
    module Sizing
      class Growth
      end

      # How busy a process was when a unit started, told by other units that had ended by then. A unit's own number of units in
      # flight is no measure of that: a long unit lets others pile up behind it, and so do its neighbours' numbers. What was over
      # before it began can't be its doing.
      class Growth::LoadBefore
        NS = 1_000_000_000
        # Of a process, so many units are looked back at on average, but not further back or less far than this.
        UNITS = 10
        NEAREST_S = 5
        FURTHEST_S = 120

        # @param profiles [Array<UnitProfile>] of one process, in the order of their starts
        def initialize(profiles)
          @profiles = profiles
          @ended = profiles.sort_by(&:end_ns)
        end

        # @return [Array<Float, nil>] for each of them the mean in flight of those before it, nil where there is none
        def to_a
          from = to = 0
          total = 0.0
          @profiles.map do |profile|
            while to < @ended.size && @ended[to].end_ns <= profile.start_ns
              total += @ended[to].in_flight
              to += 1
            end
            while from < to && @ended[from].end_ns < profile.start_ns - reach_ns
              total -= @ended[from].in_flight
              from += 1
            end
            (to > from) ? total / (to - from) : nil
          end
        end

        private

        def reach_ns
          @reach_ns ||= begin
            span_s = (@profiles.last.start_ns - @profiles.first.start_ns).fdiv(NS)
            ((UNITS * span_s / @profiles.size).clamp(NEAREST_S, FURTHEST_S) * NS).round
          end
        end
      end
    end
  end
end
