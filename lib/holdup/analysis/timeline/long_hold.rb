# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # A hold longer than a time slice, and what the capture shows of the reason. Stacks are taken where code
    # checks for interrupts, which is also where a time slice ends: code that gave its stack now and then is
    # Ruby code.
    class LongHold
      # A time slice ends a hold of Ruby code after 100 ms, if somebody waits; its timer looks every 10 ms.
      LONG_NS = 150_000_000
      # So long without a stack, and a whole time slice could not end.
      SILENT_NS = 100_000_000
      # From this share of the hold on, C code in a sampler's stacks is the reason.
      NATIVE = 0.5

      # @param scene [Scene]
      # @param hold [Hold]
      def initialize(scene, hold)
        @scene = scene
        @hold = hold
      end

      # - `:late`: nobody waited for longer than a time slice; `:unseen`: it can have no stack
      # - `:native`: a sampler saw C code; `:silent`: it gave no stack for a whole time slice
      # - `:ruby`: it gave them all the while
      # @return [Symbol]
      def cause
        return :late if wait_ns < LONG_NS
        return :unseen unless seen?
        return :native if native_share >= NATIVE
        (silent_ns >= SILENT_NS) ? :silent : :ruby
      end

      # @return [Integer] the longest that one thread waited for it
      def wait_ns
        lanes = @scene.lanes.select { |lane| lane.ledger == @hold.lane.ledger }
        waits = lanes.flat_map(&:spans).select { |span| span.state == :stalled }
        ns(waits.map { |span| [span.to, @hold.to].min - [span.from, @hold.from].max }.max.to_i.clamp(0..))
      end

      # @return [Integer] the longest time without a stack, collections of garbage aside
      def silent_ns
        moments = [@hold.from, *stacks.map(&:time), @hold.to]
        ns(moments.each_cons(2).map { |from, to| to - from - @scene.collecting(@hold.lane, from, to) }.max)
      end

      # @return [Integer] stacks that were taken in it
      def taken = stacks.size

      # @return [Float] of the hold: in its unit
      def unit_share
        run = @hold.lane.runs.find { |spans| spans.first.from == @hold.from }
        run.sum { |span| @scene.unit_of(span).equal?(@hold.unit) ? span.length : 0 }.fdiv(@hold.length)
      end

      # @return [Array(Capture::Frame, Float), nil] the method that was seen longest, with its share of the
      #   hold
      def ran
        part = GvlWait::WaitPart.new(@hold.lane, @hold.unit, @hold.from, @hold.length)
        most = HolderMethods.new(@scene).call([part]).first
        [most.frame, most.ticks.fdiv(@hold.length)] if most
      end

      # @return [Float] of the hold: in C code, where another sampler took the stacks; they are of any moment
      def native_share
        return 0.0 unless @scene.recording.header.facts.key?("sampler")
        pieces = @scene.samples.held(@hold.lane, @hold.from, @hold.to).select(&:stack)
        native = pieces.select { |piece| @scene.recording.stacks.frames(piece.stack).first&.path.nil? }
        native.sum(&:length).fdiv(@hold.length)
      end

      private

      def ns(ticks) = @scene.ns(ticks)

      # Only the main Ractor's threads have stacks.
      def seen?
        ledgers = @scene.lanes.to_h { |lane| [lane.number, lane.ledger] }
        all.any? { |event| ledgers[event.thread] == @hold.lane.ledger }
      end

      def stacks
        own = all.select { |event| event.thread == @hold.lane.number }
        @stacks ||= own.select { |event| event.time.between?(@hold.from, @hold.to) }
      end

      # The events, because the stacks of early ones may be gone.
      def all
        @all ||= @scene.recording.events.select { |event| event.kind == :stack_held }
      end
    end
  end
end
