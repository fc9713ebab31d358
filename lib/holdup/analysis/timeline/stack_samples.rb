# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # What ran when, and what waited: the stacks of a capture, and the time that each speaks for. A hold's
    # time goes to the nearest of its own stacks; a hold without any has none to borrow.
    class StackSamples
      KINDS = {stack_held: :held, stack_stalled: :stalled}.freeze

      # `kind`: :held, :stalled; `stack`: its number in the recording; `time`: ticks since the window's begin
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
