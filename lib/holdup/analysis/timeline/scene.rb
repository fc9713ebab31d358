# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # A capture, ready to be asked: which unit a span belongs to, who held the GVL from when to when, for whom
    # a thread waited.
    class Scene
      # @return [Capture::EventLog]
      attr_reader :recording
      # @return [Array<Lane>] those that were there
      attr_reader :lanes
      # @return [Array<TimelineUnit>]
      attr_reader :units
      # @return [Array<Array(Lane, Integer, Integer)>] collections of garbage: thread, from, to (ticks)
      attr_reader :collections

      # @return [Array<Array(Lane, ThreadSpan)>] waits for a connection of a pool
      attr_reader :pool_waits

      # @param recording [Capture::EventLog]
      def initialize(recording)
        @recording = recording
        replay = EventReplay.new(recording).call
        @lanes = replay.lanes.reject { |lane| lane.spans.all? { |span| span.state == :absent } }
        @units = replay.units
        by_number = replay.lanes.to_h { |lane| [lane.number, lane] }
        @collections = replay.collections.map { |number, from, to| [by_number.fetch(number), from, to] }
        @pool_waits = replay.pool_waits.map { |number, span| [by_number.fetch(number), span] }
        @numbered = @units.group_by(&:number)
        @holds = @lanes.group_by(&:ledger).transform_values { |lanes| pieces(lanes) }
      end

      # @param ticks [Integer] a duration
      # @return [Integer]
      def ns(ticks) = @recording.header.ns(ticks)

      # @return [Array<TimelineUnit>] that lie in the window from end to end
      def whole_units = @units.select(&:whole?)

      # @return [TimelineUnit, nil] the first that the capture waited for
      def caught
        ended = @numbered.fetch(@recording.header.caught, []).select(&:to)
        at = @recording.time(@recording.header.caught_event)
        at ? ended.min_by { |unit| (unit.to - at).abs } : ended.first # numbers of units begin anew
      end

      # @param unit [TimelineUnit]
      # @return [Array<ThreadSpan>] of its thread, cut to its time; on a thread that follows its fibers also
      #   those of other fibers
      def spans_of(unit)
        cut(unit.lane.spans, [unit.from, 0].max, unit.to || @recording.length_ticks)
      end

      # @param unit [TimelineUnit]
      # @return [Hash{Symbol => Integer}] ticks by state, and by kind of idle
      def sums_of(unit)
        spans_of(unit).each_with_object(Hash.new(0)) do |span, sums|
          sums[span.state] += span.length
          sums[span.kind] += span.length if span.state == :idle && span.kind
        end
      end

      # @return [TimelineUnit, nil] that the span belongs to
      def unit_of(span)
        own = @numbered[span.unit] unless span.unit.zero?
        own&.rindex { |unit| unit.from <= span.from }&.then { |index| own[index] }
      end

      # @param lane [Lane] whose thread waited
      # @param span [ThreadSpan] a stalled one of it
      # @return [GvlWait] for whom
      def wait(lane, span)
        held = during(@holds.fetch(lane.ledger), span.from, span.to)
        parts = held.map do |holder, piece|
          from = [piece.from, span.from].max
          GvlWait::WaitPart.new(holder, unit_of(piece), from, [piece.to, span.to].min - from)
        end
        GvlWait.new(lane, span, parts.select { |part| part.ticks.positive? })
      end

      # @param lane [Lane]
      # @param from [Integer] ticks
      # @param to [Integer]
      # @return [Integer] ticks between the two in which the thread collected garbage
      def collecting(lane, from, to)
        during(collected.fetch(lane, []), from, to).sum { |_, span|
          [span.to, to].min - [span.from, from].max
        }
      end

      # @param ledger [Integer] which GVL
      # @param from [Integer] ticks
      # @param to [Integer]
      # @return [Integer] ticks that threads waited for it between the two
      def waited(ledger, from, to)
        spans = @lanes.select { |lane| lane.ledger == ledger }.flat_map { |lane| cut(lane.spans, from, to) }
        spans.sum { |span| (span.state == :stalled) ? span.length : 0 }
      end

      # @return [Array<GvlWait>] of all threads
      def waits
        @waits ||= @lanes.flat_map { |lane|
          lane.spans.select { |span| span.state == :stalled }.map { |span| wait(lane, span) }
        }
      end

      # @return [Array<Hold>] uninterrupted, whatever units began and ended in them
      def holds
        @all_holds ||= @lanes.flat_map { |lane| lane.runs.map { |run| hold(lane, run) } }
      end

      # @return [StackSamples] what ran when, where the capture has stacks
      def samples
        @samples ||= StackSamples.new(@recording, @lanes)
      end

      private

      def collected
        @collected ||= @collections.map { |lane, from, to|
          [lane,
            ThreadSpan.new(:running, from, to)]
        }.group_by(&:first)
      end

      def pieces(lanes)
        lanes.flat_map { |lane|
          lane.spans.select { |span| span.state == :running }.map { |span|
            [lane,
              span]
          }
        }.sort_by { |_, span|
          span.from
        }
      end

      def during(pieces, from, to)
        first = last = pieces.bsearch_index { |_, span| span.to > from } or return []
        last += 1 while pieces[last]&.last&.then { |span| span.from < to }
        pieces[first...last]
      end

      def cut(spans, from, to)
        first = spans.bsearch_index { |span| span.to > from } or return []
        spans[first...(spans.bsearch_index { |span| span.from >= to } || spans.size)].map do |span|
          ThreadSpan.new(span.state, [span.from, from].max, [span.to, to].min, span.unit, span.kind)
        end
      end

      def hold(lane, run)
        Hold.new(lane:, from: run.first.from, to: run.last.to, unit: main_unit(run))
      end

      def main_unit(run)
        return unit_of(run.first) if run.one?
        longest = run.group_by { |span| unit_of(span)&.id }.values.max_by { |spans| spans.sum(&:length) }
        unit_of(longest.first)
      end

      # What ran when, and what waited: the stacks of a capture, and the time that each speaks for. A hold's
      # time goes to the nearest of its own stacks; a hold without any has none to borrow.
      class StackSamples
        KINDS = {stack_held: :held, stack_stalled: :stalled}.freeze

        # `kind`: :held, :stalled; `stack`: its number in the recording; `time`: ticks since the window's
        # begin
        StackSample = Data.define(:lane, :time, :kind, :stack)

        # Part of a hold; `stack`: nil for none.
        HoldPiece = Data.define(:from, :to, :stack) do
          # @return [Integer] ticks
          def length = to - from
        end

        # @param recording [Capture::EventLog]
        # @param lanes [Array<Lane>]
        def initialize(recording, lanes)
          @recording = recording
          @lanes = lanes.to_h { |lane| [lane.number, lane] }
          @pieces = {}.compare_by_identity
        end

        # @return [Array<StackSample>] in the order of time
        def all
          @all ||= @recording.events.filter_map { |event| sample(event) }.sort_by(&:time)
        end

        # @param lane [Lane]
        # @param from [Integer] ticks
        # @param to [Integer]
        # @return [Array<HoldPiece>] of the lane's holds between the two
        def held(lane, from, to)
          pieces = @pieces[lane] ||= pieces_of(lane)
          first = pieces.bsearch_index { |piece| piece.to > from } or return []
          pieces[first...(pieces.bsearch_index { |piece| piece.from >= to } || pieces.size)].map { |piece|
            HoldPiece.new([piece.from, from].max, [piece.to, to].min, piece.stack)
          }
        end

        # @param wait [GvlWait] perhaps cut
        # @return [Integer, nil] the stack that the thread waited with
        def waited(wait)
          whole = wait.lane.spans.bsearch { |span| span.to > wait.span.from } || wait.span
          sample = of(wait.lane, :stalled).bsearch { |one| one.time >= whole.from }
          sample.stack if sample && sample.time <= whole.to
        end

        private

        def sample(event)
          kind = KINDS[event.kind] or return
          lane = @lanes[event.thread]
          stack = @recording.stacks.of(event)
          StackSample.new(lane:, time: event.time, kind:, stack:) if lane && stack
        end

        def of(lane, kind)
          @by_lane ||= all.group_by { |sample| [sample.lane.number, sample.kind] }
          @by_lane.fetch([lane.number, kind], [])
        end

        def pieces_of(lane)
          samples = of(lane, :held)
          lane.runs.flat_map { |run| split(run.first.from, run.last.to, own(samples, run)) }
        end

        def own(samples, run)
          first = samples.bsearch_index { |sample| sample.time >= run.first.from } or return []
          samples[first...(samples.bsearch_index { |sample| sample.time > run.last.to } || samples.size)]
        end

        # Half-way between two stacks one takes over from the other.
        def split(from, to, samples)
          return [HoldPiece.new(from, to, nil)] if samples.empty?
          ends = samples.each_cons(2).map { |one, other| (one.time + other.time) / 2 } << to
          samples.zip([from, *ends], ends).map { |sample, start, finish|
            HoldPiece.new(start, finish, sample.stack)
          }
        end
      end
    end
  end
end
