# frozen_string_literal: true

module Holdup
  # What happened in a capture, thread by thread. Times are ticks since the begin of the window that the
  # capture has; Scene#ns converts durations.
  module Captures::Timeline
    # A thread was in one state from one tick to another.
    # - `state`: :running, :stalled, :idle, :unknown, :absent (not born, or dead)
    # - `kind`: of an idle one :io, :lock, :sleep, nil where the window ends in it; of a stalled one
    #   :preempted, or nil
    # - `unit`: number of the unit in it, 0 for none
    ThreadSpan = Struct.new(:state, :from, :to, :unit, :kind) do
      def length = to - from
    end

    # A unit, or the part of it that lies in the window. `from` is below 0 for one that began before, `to` nil
    # for one that outlived it.
    # - `id`: a number in this capture, in the order in which they began
    # - `number`: what events call it; `name`, `queue`: nil when unrecorded or when it ended outside of the
    #   window
    # - `base`: what its thread had caused by its begin; `caused`: ticks; both nil while unknown
    # - `trace`: id of the trace that it belongs to, 32 hexadecimal digits; nil for none
    TimelineUnit = Struct.new(:id, :number, :lane, :from, :to, :name, :queue, :job, :failed, :fibers, :lost,
      :base, :caused, :trace) do
      def whole?
        !to.nil? && !lost && !base.nil?
      end
    end

    # One uninterrupted hold of the GVL. `unit`: the one that took most of it, nil for none.
    Hold = Data.define(:lane, :from, :to, :unit) do
      def length = to - from
    end

    # One wait for the GVL, and who held it meanwhile; the rest was the hand-off.
    GvlWait = Data.define(:lane, :span, :parts) do
      def handoff = span.length - parts.sum(&:ticks)
    end

    # `lane` held for `ticks` of the wait since `from`, in `unit` (nil: in none).
    GvlWait::WaitPart = Data.define(:lane, :unit, :from, :ticks)

    # One thread: its spans, which fill the window from end to end, and its sums as the probe has them (ticks;
    # only what ended inside the window, as the probe adds a period when it ends).
    class Lane
      attr_reader :number
      # Number of the GVL.
      attr_reader :ledger
      attr_reader :name
      attr_reader :spans
      # :running, :stalled, :io, :lock, :sleep, :caused
      attr_reader :sums
      # Open units in the order in which they began.
      attr_reader :units
      # When the hold ended, nil while it lasts.
      attr_accessor :hold_end

      # @param state [Symbol] of the window's begin
      def initialize(number, state:, ledger:, name: nil, unit: 0)
        @number = number
        @ledger = ledger
        @name = name
        @spans = []
        @sums = Hash.new(0)
        @units = []
        @open = ThreadSpan.new(state, 0, nil, unit, nil)
      end

      def at = @open.from

      def state = @open.state

      # Ends the open span and begins the next.
      # @param kind [Symbol, nil] of the span that ends
      def turn(state, at, unit: @open.unit, kind: @open.kind)
        finish(at, kind)
        @sums[sum] += at - @open.from if sum
        @open = ThreadSpan.new(state, at, nil, unit, nil)
      end

      # The thread waits because it lost the GVL, and was not idle before.
      def preempted = @open.kind = :preempted

      # What looked like an idle period was an interrupt that was pending.
      def never_stopped = @open.state = :running

      # Its open hold ended and had caused so much stall.
      def blame(ticks) = @sums[:caused] += ticks

      # The window ends. A hold counts up to there, a period of another state only when it ends.
      def close(at)
        @sums[:running] += at - @open.from if state == :running
        finish(at, @open.kind)
        self
      end

      # The spans of each hold.
      def runs
        @runs ||= begin
          runs = @spans.slice_when { |one, other| other.state != one.state }
          runs.select { |run| run.first.state == :running }
        end
      end

      private

      def finish(at, kind)
        return if at <= @open.from
        @open.to = at
        @open.kind = kind
        @spans << @open
      end

      # The sum that the open span belongs to; nil after the last SUSPENDED of a thread that exits.
      def sum
        case state
        when :running, :stalled then state
        when :idle then @open.kind
        end
      end
    end

    class Excerpt
      # Ticks since the window's begin.
      attr_reader :from, :to

      def initialize(scene, from: 0, to: scene.recording.length_ticks)
        @scene = scene
        @from = from
        @to = to
      end

      def whole?
        @from <= 0 && @to >= @scene.recording.length_ticks
      end

      def waits
        @waits ||= if whole?
          @scene.waits
        else
          @scene.lanes.flat_map { |lane| stalls(lane).map { |span| @scene.wait(lane, span) } }
        end
      end

      def units
        @scene.whole_units.select { |unit| within?(unit.from, unit.to) }
      end

      private

      def within?(from, to)
        from < @to && to > @from
      end

      def stalls(lane)
        stalls = lane.spans.select { |span| span.state == :stalled && within?(span.from, span.to) }
        stalls.map do |span|
          ThreadSpan.new(span.state, [span.from, @from].max, [span.to, @to].min, span.unit, span.kind)
        end
      end
    end

    # The unit that a capture was waiting for: its name, its stall and elapsed time, and who held the GVL
    # meanwhile. Replays only the events of its time: the collector has little time and memory.
    class CaptureMatches
      MOST_EVENTS = 50_000
      # Clocks of several CPUs may differ, so that events stand some places from where their times belong.
      EARLIER = 200

      # Facts for the capture's first page; empty where it caught nothing.
      # @raise [DamagedData]
      def self.facts(bytes) = new(bytes).facts

      def initialize(bytes)
        @bytes = bytes
        @header = Capture::Header.parse(bytes, path: "the capture").whole!(bytes, path: "the capture")
      end

      def facts
        return {} if @header.caught.zero? || @header.head.zero?
        scene = scene()
        facts = {"unit" => scene.recording.names[@header.caught_series]&.name,
                 "stalled_ns" => @header.caught_stalled_ns,
                 "wall_ns" => @header.caught_wall_ns,
                 "trace" => scene.caught&.trace}
        {**facts, **holder(scene)}.compact
      end

      private

      def scene
        since = [first_event, @header.head - MOST_EVENTS].max
        Scene.new(Capture::EventLog.parse(@bytes, path: "the capture", since:))
      end

      def holder(scene)
        unit = scene.caught or return {}
        row = HolderTable.new(scene, waits: UnitStory.new(scene, unit).waits).call.first
        row ? {"holder" => row.name || row.thread, "holder_ns" => scene.ns(row.caused)} : {}
      end

      # Number of the last event before the unit began.
      def first_event
        last = [@header.caught_event, @header.head - 1].min
        from = time(last) - @header.caught_wall_ns * Capture::Layout::RATE_UNIT / @header.rate
        first = (@header.overwritten..last).bsearch { |number| time(number) >= from } || last
        first - EARLIER
      end

      def time(number)
        index = number & (@header.capacity - 1)
        @bytes.unpack1("Q<", offset: @header.events_offset + index * Capture::Layout::EVENT_BYTES + 8)
      end
    end
  end

  module Captures::Timeline
    # What one unit went through, period by period. Short successive periods are one step.
    class UnitStory
      # Periods with a step of their own, the longest: as many as fit on a screen.
      STEPS = 24
      # Share of the unit's time from which on a period is one of the main ones.
      MAIN = 0.05

      # One period (`wait` of a stalled one), or several: `sums`: ticks by state, `count`: how many.
      StoryStep = Data.define(:from, :length, :state, :kind, :wait, :sums, :count) do
        def initialize(from:, length:, state: nil, kind: nil, wait: nil, sums: {}, count: 1)
          super
        end
      end

      def initialize(scene, unit)
        @scene = scene
        @unit = unit
        @spans = joined(scene.spans_of(unit))
      end

      # Steps from begin to end; `from` counts from the unit's begin.
      def call
        long = Set[].compare_by_identity.merge(@spans.max_by(STEPS, &:length))
        groups = @spans.slice_when { |one, other| long.include?(one) || long.include?(other) }
        groups.map { |group| (group.size == 1) ? step(group.first) : merged_step(group) }
      end

      # @return [Integer] ticks
      def length = @spans.sum(&:length)

      # @param most [Integer] periods: the longest
      # @return [Array<StoryStep>] those of MAIN and more, else the longest one, from begin to end
      def main(most = STEPS)
        long = @spans.select { |span| span.length >= length * MAIN }
        long = @spans.max_by(1, &:length) if long.empty?
        long.max_by(most, &:length).sort_by(&:from).map { |span| step(span) }
      end

      # @param steps [Array<StoryStep>] main ones
      # @return [StoryStep, nil] all other periods; nil: there are none
      def rest(steps)
        begins = steps.to_set { |step| step.from + begin_ticks }
        others = @spans.reject { |span| begins.include?(span.from) }
        merged_step(others) if others.any?
      end

      def waits
        @waits ||= begin
          stalls = @spans.select { |span| span.state == :stalled }
          stalls.map { |span| @scene.wait(@unit.lane, span) }
        end
      end

      private

      # A unit inside of this one cuts its running spans in two.
      def joined(spans)
        runs = spans.slice_when { |one, other| one.state != :running || other.state != :running }
        runs.map do |run|
          first = run.first
          ThreadSpan.new(first.state, first.from, run.last.to, first.unit, first.kind)
        end
      end

      def begin_ticks = [@unit.from, 0].max

      def step(span)
        kind = pool_wait?(span) ? :pool : span.kind
        wait = @scene.wait(@unit.lane, span) if span.state == :stalled
        StoryStep.new(from: span.from - begin_ticks, length: span.length, state: span.state, kind:, wait:)
      end

      def pool_wait?(span)
        return false unless span.state == :idle
        @scene.pool_waits.any? do |lane, wait|
          overlap = [wait.to, span.to].min - [wait.from, span.from].max
          lane == @unit.lane && overlap * 2 > span.length
        end
      end

      def merged_step(spans)
        sums = spans.group_by(&:state).transform_values { |same| same.sum(&:length) }
        StoryStep.new(from: spans.first.from - begin_ticks, length: spans.sum(&:length), sums:,
          count: spans.size)
      end
    end
  end
end
