# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # What has a name among the things that make threads wait, where counts tell it.
    class Patterns
      # A hold for which others waited less is nobody's trouble.
      HELD_UP_NS = 10_000_000
      # Shorter collections are daily business.
      GC_NS = 10_000_000
      # A release for less than a fifth of the wait that it cost; so often, and for at least half of what the
      # unit waited.
      RELEASE_SHARE = 5
      RELEASES = 5
      # Gave the GVL up by itself, long before the slice ended.
      PASS_NS = 10_000_000
      PASSES = 50
      # Shorter waits for a connection are daily business.
      POOL_NS = 10_000_000
      # So many units at once in line for locks.
      QUEUE = 3

      # - `key`: :long_hold, :gc_pause, :convoy, :lock_queue, :pool_wait, :pass_storm; `facts`: what the
      #   sentence names: numbers, threads (Lane), units by their name (nil: in none), shares (Float); of a
      #   long hold also its `cause` and what it `ran` (see LongHold)
      Pattern = Data.define(:key, :facts)

      # @param scene [Scene]
      def initialize(scene)
        @scene = scene
      end

      # @return [Array<Pattern>]
      def call
        [long_hold, gc_pause, convoy, lock_queue, pool_wait, pass_storm].compact
      end

      private

      def ns(ticks) = @scene.ns(ticks)

      def long_hold
        long = @scene.holds.select { |hold| ns(hold.length) >= LongHold::LONG_NS }.to_h { |hold| [hold, ns(waited_for(hold.lane, hold))] }
        long.select! { |hold, waited_ns|
          waited_ns >= HELD_UP_NS && @scene.collecting(hold.lane, hold.from, hold.to) * 2 < hold.length
        }
        hold, waited_ns = long.max_by(&:last)
        return unless hold
        facts = {who: name(hold.unit), thread: hold.lane, ns: ns(hold.length), waited_ns:, count: long.size}
        Pattern.new(:long_hold, {**facts, **reasons(LongHold.new(@scene, hold))})
      end

      def reasons(hold)
        {cause: hold.cause, share: hold.unit_share, ran: hold.ran, wait_ns: hold.wait_ns,
         silent_ns: hold.silent_ns, taken: hold.taken, native_share: hold.native_share}
      end

      # What others of its GVL waited during a hold.
      def waited_for(lane, hold)
        @scene.waited(lane.ledger, hold.from, hold.to)
      end

      def gc_pause
        long = @scene.collections.select { |_, from, to| ns(to - from) >= GC_NS }
        lane, from, to = long.max_by { |_, start, finish| finish - start }
        waited = long.sum { |own, start, finish| waited_for(own, ThreadSpan.new(:running, start, finish)) }
        if lane
          Pattern.new(:gc_pause, {thread: lane, ns: ns(to - from), count: long.size, waited_ns: ns(waited)})
        end
      end

      def convoy
        found = @scene.whole_units.to_h { |unit| [unit, costly_releases(unit)] }.select { |_, waits|
          waits.size >= RELEASES
        }
        found.select! { |unit, waits| waits.sum(&:length) * 2 >= @scene.sums_of(unit)[:stalled] }
        unit, waits = found.max_by { |_, own| own.sum(&:length) }
        if unit
          Pattern.new(:convoy,
            {who: name(unit), id: unit.id, count: waits.size, waited_ns: ns(waits.sum(&:length)),
             units: found.size})
        end
      end

      # Waits that cost five times and more of the idle period before.
      def costly_releases(unit)
        @scene.spans_of(unit).each_cons(2).filter_map do |idle, wait|
          if idle.state == :idle && wait.state == :stalled && ns(wait.length) > 1_000_000 && wait.length >= idle.length * RELEASE_SHARE
            wait
          end
        end
      end

      def lock_queue
        spans = @scene.lanes.flat_map { |lane|
          lane.spans.select { |span| span.state == :idle && span.kind == :lock && !span.unit.zero? }
        }
        most = most_at_once(spans)
        if most >= QUEUE
          Pattern.new(:lock_queue, {count: most, waits: spans.size, waited_ns: ns(spans.sum(&:length))})
        end
      end

      def pool_wait
        spans = @scene.pool_waits.map(&:last).select { |span| ns(span.length) >= POOL_NS }
        if spans.any?
          Pattern.new(:pool_wait,
            {count: most_at_once(spans), waits: spans.size, waited_ns: ns(spans.sum(&:length))})
        end
      end

      def most_at_once(spans)
        edges = spans.flat_map { |span| [[span.from, 1], [span.to, -1]] }.sort
        open = 0
        edges.map { |_, change| open += change }.max || 0
      end

      def pass_storm
        passes = @scene.lanes.to_h { |lane| [lane, early_yields(lane)] }
        lane, yields = passes.max_by { |_, spans| spans.size }
        return unless lane && yields.size >= PASSES
        who, count = yields.map { |span| name(@scene.unit_of(span)) }.tally.max_by(&:last)
        Pattern.new(:pass_storm, {thread: lane, count: yields.size, who:, share: count.fdiv(yields.size)})
      end

      # The waits after them.
      def early_yields(lane)
        pairs = lane.spans.each_cons(2).select { |run, wait|
          run.state == :running && wait.kind == :preempted
        }
        pairs.filter_map { |run, wait| wait if ns(run.length) < PASS_NS }
      end

      # Empty for one that nobody named.
      def name(unit)
        unit && unit.name.to_s
      end

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
          most = HolderTable::HolderMethods.new(@scene).call([part]).first
          [most.frame, most.ticks.fdiv(@hold.length)] if most
        end

        # @return [Float] of the hold: in C code, where another sampler took the stacks; they are of any
        #   moment
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
end
