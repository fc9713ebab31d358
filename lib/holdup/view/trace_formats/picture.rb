# frozen_string_literal: true

module Holdup
  module View
    module TraceFormats
      # What every format draws: the scene in nanoseconds and with names. Only moments are rounded, never
      # lengths, so the periods of a thread fill the window in every format.
      class Picture
        UNFINISHED = "unfinished request or job"
        UNNAMED = "(unnamed)"
        HANDOFF = "hand-off"

        # @return [Scene]
        attr_reader :scene

        # @param scene [Scene]
        def initialize(scene)
          @scene = scene
          @periods = {}.compare_by_identity
        end

        # @return [Capture::Header]
        def header = recording.header

        # @return [Capture::EventLog]
        def recording = @scene.recording

        # @return [Array<Lane>] those with most units first, as a viewer begins with the first
        def lanes
          @lanes ||= @scene.lanes.sort_by { |lane| [-units(lane).size, lane.number] }
        end

        # @return [Integer] of the window
        def length_ns = recording.length_ns

        # @param ticks [Integer] since the window's begin
        # @return [Integer] ns, inside of the window
        def ns(ticks)
          @scene.ns(ticks.clamp(0, recording.length_ticks))
        end

        # @param lane [Lane]
        # @return [Array<Period>] from the window's begin to its end
        def periods(lane)
          @periods[lane] ||= lane.spans.map { |span| period(lane, span) }
        end

        # @param lane [Lane]
        # @param period [Period] a running one of it
        # @return [Array<Array(Integer, Integer, Array<Capture::Frame>)>] ns from and to, and what ran: the
        #   innermost frame first, none without a stack
        def pieces(lane, period)
          return [[period.from_ns, period.to_ns, []]] unless recording.stacks.any?
          pieces = @scene.samples.held(lane, period.from, period.to)
          pieces.map { |piece|
            [ns(piece.from), ns(piece.to), piece.stack ? recording.stacks.frames(piece.stack) : []]
          }
        end

        # @param lane [Lane]
        # @return [Array<Array(Integer, Integer, Array<Capture::Frame>)>] its pieces that have a stack
        def ran(lane)
          return [] unless recording.stacks.any?
          running = periods(lane).select { |period| period.state == :running }
          running.flat_map { |period| pieces(lane, period) }.reject { |_, _, frames| frames.empty? }
        end

        # @param lane [Lane]
        # @return [Array<TimelineUnit>] of this thread, in the order in which they began
        def units(lane) = units_by_lane.fetch(lane, [])

        # @param unit [TimelineUnit]
        # @return [Array(Integer, Integer)] ns from and to, cut to the window
        def bounds(unit)
          [ns(unit.from), ns(unit.to || recording.length_ticks)]
        end

        # @param lane [Lane]
        # @return [Array<Array(Integer, Integer)>] ns from and to of the collections of garbage that ran on
        #   this thread
        def collections(lane)
          @scene.collections.filter_map { |own, from, to| [ns(from), ns(to)] if own == lane }
        end

        # @return [Hash{Integer => Array<Array(Lane, Period)>}] by GVL: who held it, in the order of time
        def holders
          held = lanes.flat_map { |lane|
            periods(lane).select { |period| period.state == :running }.map { |period| [lane, period] }
          }
          held.group_by { |lane, _| lane.ledger }.transform_values { |pairs|
            pairs.sort_by { |_, period| period.from_ns }
          }
        end

        # @return [String]
        def unit_name(unit)
          unit.name || (unit.to ? UNNAMED : UNFINISHED)
        end

        # @return [String]
        def thread_name(lane)
          (lane.name.nil? || lane.name.empty?) ? "thread #{lane.number}" : lane.name
        end

        # @return [String] the unit, else the thread
        def name(lane, unit)
          unit ? unit_name(unit) : thread_name(lane)
        end

        # @param wait [GvlWait]
        # @return [Array<Array(Integer, String)>] since when (ns) for whom, from its begin to its end
        def waited(wait)
          at = wait.span.from
          pieces = []
          wait.parts.each do |part|
            pieces << [at, HANDOFF] if at < part.from
            pieces << [part.from, name(part.lane, part.unit)]
            at = part.from + part.ticks
          end
          pieces << [at, HANDOFF] if at < wait.span.to
          pieces.map { |from, holder| [ns(from), holder] }
        end

        # @param wait [GvlWait]
        # @return [String] for whom it was longest
        def main(wait)
          sums = wait.parts.group_by { |part| name(part.lane, part.unit) }.transform_values { |parts|
            parts.sum(&:ticks)
          }
          sums.max_by(&:last)&.first || HANDOFF
        end

        private

        def period(lane, span)
          wait = @scene.wait(lane, span) if span.state == :stalled
          Period.new(span.state, span.kind, ns(span.from), ns(span.to), @scene.unit_of(span), wait,
            span.from, span.to)
        end

        def units_by_lane
          @units_by_lane ||= @scene.units.group_by(&:lane).compare_by_identity
        end

        # A span in ns since the window's begin, and in ticks (`from`, `to`). `unit`, `wait`: nil for none.
        Period = Struct.new(:state, :kind, :from_ns, :to_ns, :unit, :wait, :from, :to)
      end
    end
  end
end
