# frozen_string_literal: true

module Holdup
  module Captures
    module Timeline
      # Known patterns that make threads wait, recognised by counts and durations.
      class Patterns
        # A hold for which others waited less is ignored.
        HELD_UP_NS = 10_000_000
        GC_NS = 10_000_000
        # A convoy: releases for less than a fifth of the wait that follows, at least so many, and at least
        # half of what the unit waited.
        RELEASE_SHARE = 5
        RELEASES = 5
        RELEASE_WAIT_NS = 1_000_000
        # A pass: the thread gave the GVL up long before its time slice ended.
        PASS_NS = 10_000_000
        PASSES = 50
        POOL_NS = 10_000_000
        # Units that wait for locks at once are a queue from this number on.
        QUEUE = 3

        # `key`: :long_hold, :gc_pause, :convoy, :lock_queue, :pool_wait, :pass_storm; `facts`: for its
        # sentence: numbers, threads (Lane), names of units (nil: in none), shares (Float); of a long hold
        # also its `cause` and what it `ran`
        Pattern = Data.define(:key, :facts)

        def initialize(scene)
          @scene = scene
        end

        def call
          [long_hold, gc_pause, convoy, lock_queue, pool_wait, pass_storm].compact
        end

        private

        def ns(ticks) = @scene.ns(ticks)

        def long_hold
          waited = long_holds.to_h { |hold| [hold, ns(waited_for(hold.lane, hold))] }
          waited.select! { |_, waited_ns| waited_ns >= HELD_UP_NS }
          hold, waited_ns = waited.max_by(&:last)
          return unless hold
          facts = {who: name(hold.unit), thread: hold.lane, ns: ns(hold.length), waited_ns:,
                   count: waited.size}
          Pattern.new(:long_hold, {**facts, **reasons(LongHold.new(@scene, hold))})
        end

        # Long holds that were not mostly garbage collection.
        def long_holds
          long = @scene.holds.select { |hold| ns(hold.length) >= LongHold::LONG_NS }
          long.select { |hold| @scene.collecting(hold.lane, hold.from, hold.to) * 2 < hold.length }
        end

        def reasons(hold)
          {cause: hold.cause, share: hold.unit_share, ran: hold.ran, wait_ns: hold.wait_ns,
           silent_ns: hold.silent_ns, taken: hold.taken, native_share: hold.native_share}
        end

        # Ticks that others of its GVL waited during a hold.
        def waited_for(lane, hold)
          @scene.waited(lane.ledger, hold.from, hold.to)
        end

        def gc_pause
          long = @scene.collections.select { |_, from, to| ns(to - from) >= GC_NS }
          lane, from, to = long.max_by { |_, start, finish| finish - start }
          return unless lane
          waited = long.sum { |own, start, finish| @scene.waited(own.ledger, start, finish) }
          facts = {thread: lane, ns: ns(to - from), count: long.size, waited_ns: ns(waited)}
          Pattern.new(:gc_pause, facts)
        end

        def convoy
          waits = @scene.whole_units.to_h { |unit| [unit, costly_releases(unit)] }
          waits.select! { |unit, costly| convoy?(unit, costly) }
          unit, costly = waits.max_by { |_, spans| spans.sum(&:length) }
          return unless unit
          facts = {who: name(unit), id: unit.id, count: costly.size, waited_ns: ns(costly.sum(&:length)),
                   units: waits.size}
          Pattern.new(:convoy, facts)
        end

        def convoy?(unit, waits)
          waits.size >= RELEASES && waits.sum(&:length) * 2 >= @scene.sums_of(unit)[:stalled]
        end

        # Waits much longer than the idle period before.
        def costly_releases(unit)
          pairs = @scene.spans_of(unit).each_cons(2).select do |idle, wait|
            idle.state == :idle && wait.state == :stalled
          end
          costly = pairs.select do |idle, wait|
            ns(wait.length) > RELEASE_WAIT_NS && wait.length >= idle.length * RELEASE_SHARE
          end
          costly.map(&:last)
        end

        def lock_queue
          spans = @scene.lanes.flat_map do |lane|
            lane.spans.select { |span| span.state == :idle && span.kind == :lock && !span.unit.zero? }
          end
          count = most_at_once(spans)
          return if count < QUEUE
          Pattern.new(:lock_queue, {count:, waits: spans.size, waited_ns: ns(spans.sum(&:length))})
        end

        def pool_wait
          spans = @scene.pool_waits.map(&:last).select { |span| ns(span.length) >= POOL_NS }
          return if spans.empty?
          facts = {count: most_at_once(spans), waits: spans.size, waited_ns: ns(spans.sum(&:length))}
          Pattern.new(:pool_wait, facts)
        end

        def most_at_once(spans)
          edges = spans.flat_map { |span| [[span.from, 1], [span.to, -1]] }.sort
          open = 0
          edges.map { |_, change| open += change }.max || 0
        end

        def pass_storm
          passes = @scene.lanes.to_h { |lane| [lane, waits_after_passes(lane)] }
          lane, waits = passes.max_by { |_, spans| spans.size }
          return unless lane && waits.size >= PASSES
          who, count = waits.map { |span| name(@scene.unit_of(span)) }.tally.max_by(&:last)
          facts = {thread: lane, count: waits.size, who:, share: count.fdiv(waits.size)}
          Pattern.new(:pass_storm, facts)
        end

        def waits_after_passes(lane)
          pairs = lane.spans.each_cons(2).select do |run, wait|
            run.state == :running && wait.kind == :preempted
          end
          pairs.filter_map { |run, wait| wait if ns(run.length) < PASS_NS }
        end

        # Empty for a unit without a name, nil outside of units.
        def name(unit)
          unit && unit.name.to_s
        end

        # A hold longer than a time slice, and its reason. Stacks are taken where code checks for interrupts,
        # which is also where a time slice ends: code that gave its stack now and then is Ruby code.
        class LongHold
          # A time slice ends a hold of Ruby code after 100 ms if another thread waits, give or take 10 ms.
          LONG_NS = 150_000_000
          # A whole time slice could not end where there was no stack for so long.
          SILENT_NS = 100_000_000
          # C code in a sampler's stacks is the reason from this share of the hold on.
          NATIVE = 0.5

          def initialize(scene, hold)
            @scene = scene
            @hold = hold
          end

          # - `:late`: no thread waited for longer than a time slice; `:unseen`: it can have no stack
          # - `:native`: a sampler saw C code; `:silent`: no stack for a whole time slice
          # - `:ruby`: stacks at all times
          def cause
            return :late if wait_ns < LONG_NS
            return :unseen unless seen?
            return :native if native_share >= NATIVE
            (silent_ns >= SILENT_NS) ? :silent : :ruby
          end

          def wait_ns
            lanes = @scene.lanes.select { |lane| lane.ledger == @hold.lane.ledger }
            waits = lanes.flat_map(&:spans).select { |span| span.state == :stalled }
            overlaps = waits.map { |span| [span.to, @hold.to].min - [span.from, @hold.from].max }
            ns([overlaps.max.to_i, 0].max)
          end

          # The longest time without a stack, garbage collection aside.
          def silent_ns
            moments = [@hold.from, *stacks.map(&:time), @hold.to]
            gaps = moments.each_cons(2).map { |from, to| to - from - @scene.collecting(@hold.lane, from, to) }
            ns(gaps.max)
          end

          def taken = stacks.size

          # Share of the hold in its unit.
          def unit_share
            run = @hold.lane.runs.find { |spans| spans.first.from == @hold.from }
            run.sum { |span| @scene.unit_of(span).equal?(@hold.unit) ? span.length : 0 }.fdiv(@hold.length)
          end

          # The method that was seen longest, with its share of the hold.
          def ran
            part = GvlWait::WaitPart.new(@hold.lane, @hold.unit, @hold.from, @hold.length)
            longest = HolderTable::HolderMethods.new(@scene).call([part]).first
            [longest.frame, longest.ticks.fdiv(@hold.length)] if longest
          end

          # Share of the hold in C code, where another sampler took the stacks; they are of any moment.
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
            stack_events.any? { |event| ledgers[event.thread] == @hold.lane.ledger }
          end

          def stacks
            @stacks ||= stack_events.select do |event|
              event.thread == @hold.lane.number && event.time.between?(@hold.from, @hold.to)
            end
          end

          # The events, because the stacks of early ones may be gone.
          def stack_events
            @stack_events ||= @scene.recording.events.select { |event| event.kind == :stack_held }
          end
        end
      end
    end
  end
end
