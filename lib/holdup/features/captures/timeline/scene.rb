# frozen_string_literal: true

module Holdup
  module Captures
    module Timeline
      # A capture, ready for questions: which unit a span belongs to, who held the GVL when, whom a thread
      # waited for.
      class Scene
        attr_reader :recording
        attr_reader :lanes
        attr_reader :units
        # Garbage collections: thread, from, to (ticks).
        attr_reader :collections
        attr_reader :pool_waits

        def initialize(recording)
          @recording = recording
          replay = EventReplay.new(recording).call
          @lanes = replay.lanes.reject { |lane| lane.spans.all? { |span| span.state == :absent } }
          @units = replay.units
          by_number = replay.lanes.to_h { |lane| [lane.number, lane] }
          @collections = replay.collections.map { |number, from, to| [by_number.fetch(number), from, to] }
          @pool_waits = replay.pool_waits.map { |number, span| [by_number.fetch(number), span] }
          @numbered = @units.group_by(&:number)
          @running = @lanes.group_by(&:ledger).transform_values { |lanes| running_spans(lanes) }
        end

        def ns(ticks) = @recording.header.ns(ticks)

        def whole_units = @units.select(&:whole?)

        # The first unit that the capture waited for.
        def caught
          ended = @numbered.fetch(@recording.header.caught, []).select(&:to)
          at = @recording.time(@recording.header.caught_event)
          # Numbers of units are used again, so the nearest end counts.
          at ? ended.min_by { |unit| (unit.to - at).abs } : ended.first
        end

        # @return [TimelineUnit, nil] the unit in which the longest wait for the GVL was; nil: none waited
        def worst
          in_units = waits.select { |wait| unit_of(wait.span)&.whole? }
          longest = in_units.max_by { |wait| wait.span.length }
          unit_of(longest.span) if longest
        end

        # Spans of its thread, cut to its time; on a thread that follows its fibers also those of other
        # fibers.
        def spans_of(unit)
          cut(unit.lane.spans, [unit.from, 0].max, unit.to || @recording.length_ticks)
        end

        # Ticks by state, and by kind of idle.
        def sums_of(unit)
          spans_of(unit).each_with_object(Hash.new(0)) do |span, sums|
            sums[span.state] += span.length
            sums[span.kind] += span.length if span.state == :idle && span.kind
          end
        end

        def unit_of(span)
          return if span.unit.zero?
          same_number = @numbered[span.unit] or return
          index = same_number.rindex { |unit| unit.from <= span.from }
          index && same_number[index]
        end

        # @param span [ThreadSpan] a stalled one of the lane
        def wait(lane, span)
          held = during(@running.fetch(lane.ledger), span.from, span.to)
          parts = held.map do |holder, run|
            from = [run.from, span.from].max
            GvlWait::WaitPart.new(holder, unit_of(run), from, [run.to, span.to].min - from)
          end
          GvlWait.new(lane, span, parts.select { |part| part.ticks.positive? })
        end

        # @param span [ThreadSpan] an idle one of the lane
        # @return [GvlWait::WaitPart, nil] the whole span, of the thread that ran when it ended; nil where the
        #   window ends first, or none ran
        def ended_by(lane, span)
          ender, run = during(@running.fetch(lane.ledger), span.to, span.to + 1).first
          GvlWait::WaitPart.new(ender, unit_of(run), span.from, span.length) if ender
        end

        # Ticks between the two in which the thread collected garbage.
        def collecting(lane, from, to)
          collections = during(collection_spans.fetch(lane, []), from, to)
          collections.sum { |_, span| [span.to, to].min - [span.from, from].max }
        end

        # Ticks that threads waited for that GVL between the two.
        def waited(ledger, from, to)
          lanes = @lanes.select { |lane| lane.ledger == ledger }
          spans = lanes.flat_map { |lane| cut(lane.spans, from, to) }
          spans.sum { |span| (span.state == :stalled) ? span.length : 0 }
        end

        def waits
          @waits ||= @lanes.flat_map do |lane|
            stalls = lane.spans.select { |span| span.state == :stalled }
            stalls.map { |span| wait(lane, span) }
          end
        end

        # Uninterrupted, whatever units began and ended in them.
        def holds
          @holds ||= @lanes.flat_map { |lane| lane.runs.map { |run| hold(lane, run) } }
        end

        # What ran when, where the capture has stacks.
        def samples
          @samples ||= StackSamples.new(@recording, @lanes)
        end

        private

        def collection_spans
          @collection_spans ||= begin
            spans = @collections.map { |lane, from, to| [lane, ThreadSpan.new(:running, from, to)] }
            spans.group_by(&:first)
          end
        end

        # Spans in order of time; those of one GVL do not overlap.
        def running_spans(lanes)
          spans = lanes.flat_map do |lane|
            lane.spans.select { |span| span.state == :running }.map { |span| [lane, span] }
          end
          spans.sort_by { |_, span| span.from }
        end

        def during(spans, from, to)
          first = last = spans.bsearch_index { |_, span| span.to > from } or return []
          last += 1 while last < spans.size && spans[last].last.from < to
          spans[first...last]
        end

        def cut(spans, from, to)
          first = spans.bsearch_index { |span| span.to > from } or return []
          last = spans.bsearch_index { |span| span.from >= to } || spans.size
          spans[first...last].map do |span|
            ThreadSpan.new(span.state, [span.from, from].max, [span.to, to].min, span.unit, span.kind)
          end
        end

        def hold(lane, run)
          Hold.new(lane:, from: run.first.from, to: run.last.to, unit: main_unit(run))
        end

        def main_unit(run)
          return unit_of(run.first) if run.one?
          by_unit = run.group_by { |span| unit_of(span)&.id }
          longest = by_unit.values.max_by { |spans| spans.sum(&:length) }
          unit_of(longest.first)
        end

        # What ran when, and what waited: the stacks of a capture, and the time that each stands for. A hold's
        # time goes to the nearest of its own stacks, and to none where it has none.
        class StackSamples
          KINDS = {stack_held: :held, stack_stalled: :stalled}.freeze

          # `kind`: :held, :stalled; `stack`: its number in the recording; `time`: ticks
          StackSample = Data.define(:lane, :time, :kind, :stack)

          # Part of a hold; `stack`: nil for none.
          HoldPiece = Data.define(:from, :to, :stack) do
            def length = to - from
          end

          def initialize(recording, lanes)
            @recording = recording
            @lanes = lanes.to_h { |lane| [lane.number, lane] }
            @pieces = {}.compare_by_identity
          end

          def all
            @all ||= @recording.events.filter_map { |event| sample(event) }.sort_by(&:time)
          end

          # Pieces of the lane's holds between the two.
          def held(lane, from, to)
            pieces = @pieces[lane] ||= pieces_of(lane)
            first = pieces.bsearch_index { |piece| piece.to > from } or return []
            last = pieces.bsearch_index { |piece| piece.from >= to } || pieces.size
            pieces[first...last].map do |piece|
              HoldPiece.new([piece.from, from].max, [piece.to, to].min, piece.stack)
            end
          end

          # The stack that the thread waited with.
          def waited(wait)
            whole = wait.lane.spans.bsearch { |span| span.to > wait.span.from } || wait.span
            sample = samples(wait.lane, :stalled).bsearch { |candidate| candidate.time >= whole.from }
            sample.stack if sample && sample.time <= whole.to
          end

          private

          def sample(event)
            kind = KINDS[event.kind] or return
            lane = @lanes[event.thread]
            stack = @recording.stacks.of(event)
            StackSample.new(lane:, time: event.time, kind:, stack:) if lane && stack
          end

          def samples(lane, kind)
            @by_lane ||= all.group_by { |sample| [sample.lane.number, sample.kind] }
            @by_lane.fetch([lane.number, kind], [])
          end

          def pieces_of(lane)
            samples = samples(lane, :held)
            lane.runs.flat_map { |run| split(run.first.from, run.last.to, samples_in(run, samples)) }
          end

          def samples_in(run, samples)
            first = samples.bsearch_index { |sample| sample.time >= run.first.from } or return []
            last = samples.bsearch_index { |sample| sample.time > run.last.to } || samples.size
            samples[first...last]
          end

          # The time between two stacks is divided in the middle.
          def split(from, to, samples)
            return [HoldPiece.new(from, to, nil)] if samples.empty?
            middles = samples.each_cons(2).map { |one, other| (one.time + other.time) / 2 }
            samples.zip([from, *middles], [*middles, to]).map do |sample, start, finish|
              HoldPiece.new(start, finish, sample.stack)
            end
          end
        end
      end
    end
  end
end
