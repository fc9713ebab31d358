# frozen_string_literal: true

module Holdup
  module Captures
    # The one sentence for an engineer on call: what took the time of a unit, or of all threads, and who
    # caused it.
    class TimelineAnswer
      # Reports garbage collections from this fraction (1/n) of the holder's time on.
      GC_SHARE = 10
      STATES = %i[running stalled io lock sleep].freeze

      def initialize(scene, words:)
        @scene = scene
        @words = words
        @names = TimelineStory::Names.new(scene, words, whole: true)
        @meanwhile = Timeline::HolderTable::HolderMethods.new(scene)
      end

      # @return [String, nil] where most of its time went; nil if nothing is known about it
      def unit(unit)
        state, ticks = spent(unit).max_by(&:last)
        return if ticks.zero?
        word(:"answer_#{state}", name: @names.unit(unit), wall: time(length(unit)), spent: time(ticks),
**cause(unit, state, ticks))
      end

      # Threads outside of requests and jobs wait too, mostly for work: they count only if no other waited.
      # @return [String, nil] for what requests and jobs waited most; nil if no thread waited
      def whole
        units, outside = @scene.waits.partition { |wait| !wait.span.unit.zero? }
        stalled = stalled(units)
        kind, ticks = {stalled:, lock: units(:lock), pool: pooled(@scene.pool_waits)}.max_by(&:last)
        return outside(outside) if ticks.zero?
        cause = (kind == :stalled) ? held(units) : {}
        word(:"answer_all_#{kind}", spent: time(ticks), stalled: time(stalled), **cause)
      end

      private

      # The cause of a state; the cause of waits outside Ruby is unknown.
      def cause(unit, state, ticks)
        case state
        when :stalled then held(waits(unit))
        when :running then {ran: ran([own(unit)], ticks)}
        else {}
        end
      end

      def word(key, **facts)
        @words.call(:"timeline_#{key}", **facts)
      end

      def time(ticks) = @names.time(ticks)

      def from(unit) = [unit.from, 0].max

      def length(unit)
        (unit.to || @scene.recording.length_ticks) - from(unit)
      end

      # The probe sees a wait for a connection as a sleep.
      def spent(unit)
        sums = @scene.sums_of(unit)
        pool = pooled(@scene.pool_waits.select { |lane, span|
          lane == unit.lane && span.from >= unit.from &&
                                  span.to <= (unit.to || span.to)
        })
        {**STATES.to_h { |state| [state, sums[state]] }, sleep: [sums[:sleep] - pool, 0].max, pool:}
      end

      def pooled(waits)
        waits.sum { |_, span| span.length }
      end

      def outside(waits)
        ticks = stalled(waits)
        word(:answer_all_outside, spent: time(ticks), **held(waits)) if ticks.positive?
      end

      def stalled(waits)
        waits.sum { |wait| wait.span.length }
      end

      def units(kind)
        @scene.lanes.sum { |lane|
          lane.spans.sum { |span| (span.kind == kind && !span.unit.zero?) ? span.length : 0 }
        }
      end

      def waits(unit)
        @scene.spans_of(unit).select { |span| span.state == :stalled }.map { |span|
          @scene.wait(unit.lane, span)
        }
      end

      def own(unit)
        Timeline::GvlWait::WaitPart.new(unit.lane, unit, from(unit), length(unit))
      end

      # The holder that had the GVL for most of the wait, and what it ran.
      def held(waits)
        parts = waits.flat_map(&:parts).group_by { |part| @names.part(part) }
        who, own = parts.max_by { |_, some| some.sum(&:ticks) }
        ticks = own.to_a.sum(&:ticks)
        handoff = waits.sum(&:handoff)
        if handoff > ticks
          who = word(:answer_handoff)
          own = []
          ticks = handoff
        end
        share = View::Figures.share(ticks.fdiv(waits.sum { |wait| wait.span.length }))
        {who:, held: time(ticks), share:, ran: ran(own, ticks), gc: gc(own, ticks)}
      end

      # The method seen longest, with its share: the rest ran in other methods, or unseen.
      # @param ticks [Integer] total of the parts
      def ran(parts, ticks)
        most = @meanwhile.call(parts).first or return ""
        word(:answer_ran, share: View::Figures.share(most.ticks.fdiv(ticks)), frame: @names.frame(most.frame))
      end

      def gc(parts, ticks)
        collecting = @meanwhile.collecting(parts)
        (collecting * GC_SHARE > ticks) ? word(:answer_collecting, time: time(collecting)) : ""
      end
    end
  end
end
