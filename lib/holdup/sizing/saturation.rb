# frozen_string_literal: true

module Holdup
  module Sizing
    # How many units a second of one mix processes serve at most whose threads are of several pools: the pool
    # that is full first bounds all of them, as with processes of their own (SplitGuards). But these share a
    # GVL, so that what one can do hangs on how busy the others are, and it is replayed: a new unit comes when
    # another one is done. Nearly all that wait then wait for the fullest pool, and the others have what the
    # mix brings them.
    class Saturation
      # At most so many are played: all candidates have the same.
      UNITS = 4_000
      # For each thread so many are there at the same time.
      CROWD = 4
      NS = 1_000_000_000

      # @param trace [Trace]
      # @param scenario [Scenario]
      # @return [Float] units per second
      def self.throughput(trace, scenario)
        new(trace.backlog.first(UNITS), scenario).throughput
      end

      # @param trace [Trace] its backlog
      # @param scenario [Scenario]
      def initialize(trace, scenario)
        @units = trace.units
        @outcome = Replay.call(trace,
          scenario.with(most: scenario.groups.sum { |group| CROWD * group.processes * group.threads }))
      end

      # Until its queue is that long, the others do more than the mix has of them: the fullest pool tells, by
      # its part of the mix.
      # @return [Float] units per second
      def throughput
        span = @outcome.steady_span(BacklogReplay::EDGE)
        fullest = fullest()
        @outcome.ended(span, fullest).size * @units.size.fdiv(fullest.size) * NS / (span.end - span.begin)
      end

      private

      def fullest
        queued = @outcome.column(:queued)
        @units.each_index.group_by { |index|
          [@units[index].group,
            @units[index].pool]
        }.values.max_by { |units|
          queued.values_at(*units).sum.fdiv(units.size)
        }
      end
    end
  end
end
