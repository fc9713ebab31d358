# frozen_string_literal: true

module Holdup
  module Captures
    # The story of one unit, line by line: when it ran, waited, for whom, how long.
    class TimelineStory
      # How many holders of one wait are named.
      HOLDERS = 3
      GC_SHARE = TimelineAnswer::GC_SHARE
      # Reports the hand-off if it is more than a hundredth.
      HANDOFF_SHARE = 100

      def initialize(scene, unit, story:, words:)
        @scene = scene
        @unit = unit
        @story = story
        @words = words
        @names = Names.new(scene, words, whole: true)
        @meanwhile = Timeline::HolderTable::HolderMethods.new(scene)
      end

      # @return [View::Page] with all periods
      def whole
        *times, what = columns
        sentences = View::Blocks::Column.new(text: what, words: true)
        page_of([*chain, split, *remarks],
          View::Section.new(title: "", columns: [*times, sentences], rows:))
      end

      # How many remarks can be left out to fit a screen.
      def spare = notes.size

      # @param kept [Integer] of those that can be left out
      # @return [View::Page] with the main periods
      def page(kept = spare)
        section = waterfall(most: Waterfall::MOST).section(notes: [@words.call(:timeline_screen_more)])
        page_of([split, *notes.first(kept)], section)
      end

      # @return [String, nil] where most of its time went, and because of whom
      def answer
        @answer ||= TimelineAnswer.new(@scene, words: @words).unit(@unit)
      end

      # @return [String, nil] what the one that it waited for waited for itself, and so on
      def chain
        ChainSentences.new(@scene, words: @words).call(@unit)
      end

      # @return [String] which unit, when, for how long
      def title
        word(:story, id: @unit.id, name: @names.unit(@unit), thread: @names.thread(@unit.lane),
          at: @names.clock([@unit.from, 0].max),
          wall: time((@unit.to || @scene.recording.length_ticks) - [@unit.from, 0].max))
      end

      # @return [String] the unit's states, and how long others waited for it
      def split
        sums = @scene.sums_of(@unit)
        kinds = @words.list(%i[io lock sleep].map { |kind| "#{word(:"kind_#{kind}")} #{time(sums[kind])}" })
        word(:split, running: time(sums[:running]), stalled: time(sums[:stalled]), idle: time(sums[:idle]),
          kinds:,
          caused: @unit.caused ? time(@unit.caused) : View::Figures::NONE)
      end

      def remarks
        [*ran, *(word(:fibers) if @unit.fibers), *(word(:trace, trace: @unit.trace) if @unit.trace)]
      end

      # @return [Array<String>] titles of the rows' cells
      def columns
        %i[story_from story_length story_what].map { |key| @words.call(key) }
      end

      # @return [Array<Array(String, String, String)>] since when, how long, what: period by period
      def rows
        @story.call.map { |step| [since(step), time(step.length), sentence(step)] }
      end

      # @return [Waterfall] its main periods
      def waterfall(most: Timeline::UnitStory::STEPS)
        Waterfall.new(self, @story, @words, most:)
      end

      # @return [String] when a period began, since the unit's begin
      def since(step) = "+#{time(step.from)}"

      # @return [String] how long it took
      def length(step) = time(step.length)

      # @param key [Symbol] of the sentence
      # @return [String] how long several periods took, by state
      def together(step, key)
        sums = %i[running stalled idle].to_h { |state| [state, time(step.sums.fetch(state, 0))] }
        word(key, count: View::Figures.count(step.count), **sums)
      end

      # @return [String] what happened in a period, with one cause
      def main(step)
        case step.state
        when :stalled
          word((step.kind == :preempted) ? :step_preempted : :step_stalled, holders: main_holder(step.wait))
        when :running then ran_in(step)
        else sentence(step)
        end
      end

      private

      def notes = @notes ||= [*chain, *remarks]

      def page_of(texts, section)
        lead = [*answer].map { |text| View::Blocks::Lead.new(text:) }
        View::Page.new(title:, blocks: [*lead, View::Blocks::Notes.new(texts:), section])
      end

      def main_holder(wait)
        by_holder = wait.parts.group_by { |part| [part.lane, part.unit] }.values
        most = by_holder.max_by { |own| own.sum(&:ticks) }
        return word(:answer_handoff) if most.nil? || most.sum(&:ticks) < wait.handoff
        in_frame(:main_held, most, who: @names.part(most.first)) || @names.part(most.first)
      end

      def ran_in(step)
        from = [@unit.from, 0].max + step.from
        own = Timeline::GvlWait::WaitPart.new(@unit.lane, @unit, from, step.length)
        in_frame(:step_ran_in, [own]) || word(:step_running)
      end

      def in_frame(key, parts, **facts)
        most = @meanwhile.call(parts).first
        word(key, frame: @names.frame(most.frame), **facts) if most
      end

      def word(key, **facts)
        @words.call(:"timeline_#{key}", **facts)
      end

      def time(ticks) = @names.time(ticks)

      def share(ticks)
        View::Figures.share(ticks.fdiv(@story.waits.sum { |wait| wait.span.length }))
      end

      # What ran meanwhile, as far as it was seen.
      def ran
        all = @meanwhile.call(@story.waits.flat_map(&:parts))
        named = all.first(HOLDERS).map { |one| "#{@names.frame(one.frame)} #{time(one.ticks)}" }
        word(:meanwhile, share: share(all.sum(&:ticks)), methods: @words.list(named)) if all.any?
      end

      def sentence(step)
        case step.state
        when nil then together(step, :step_together)
        when :stalled then [
          word((step.kind == :preempted) ? :step_preempted : :step_stalled,
            holders: holders(step.wait)), *itself(step.wait)
        ].join
        when :idle then word(:step_idle, kind: word(:"kind_#{step.kind || "none"}"))
        else word(:"step_#{step.state}")
        end
      end

      def holders(wait)
        parts = wait.parts.group_by { |part| [part.lane, part.unit] }.values
        named = parts.max_by(HOLDERS) { |own| own.sum(&:ticks) }.map { |own| held(own) }
        if named.empty? || wait.handoff * HANDOFF_SHARE > wait.span.length
          named << word(:handoff_time, time: time(wait.handoff))
        end
        @words.list(named)
      end

      def held(parts)
        ran = @meanwhile.call(parts).first
        ticks = parts.sum(&:ticks)
        text = "#{who(parts.first)} #{time(ticks)}"
        text = in_method(text, ran, ticks) if ran
        "#{text}#{collecting(parts)}"
      end

      def in_method(held, ran, ticks)
        word(:held_in, held:, share: View::Figures.share(ran.ticks.fdiv(ticks)),
          frame: @names.frame(ran.frame))
      end

      def collecting(parts)
        ticks = @meanwhile.collecting(parts)
        word(:collecting, time: time(ticks)) if ticks * GC_SHARE > parts.sum(&:ticks)
      end

      # Its own location when it lost the GVL, or asked for it again.
      def itself(wait)
        frame = @scene.samples.waited(wait)&.then { |stack| @scene.recording.stacks.running(stack) }
        word(:waited_in, frame: @names.frame(frame)) if frame
      end

      def who(part)
        part.unit ? word(:part, who: @names.part(part), thread: @names.thread(part.lane)) : @names.part(part)
      end

      # The main periods of a unit, one below the other, each with a bar at its place in the unit's time.
      class Waterfall
        # A period, or all that are left out, which have no place. `from`, `to`: shares of the unit's time;
        # `state`: of View::StateLooks
        MainPeriod = Data.define(:at, :length, :state, :from, :to, :text) do
          def placed? = !state.nil?
        end

        # Columns of the bar in a text.
        BAR = 50
        # Periods on one screen.
        MOST = 7
        SYMBOLS = View::Drawing::Bar::SYMBOLS
        # How a period looks, by what a story calls it.
        LOOKS = {running: :cpu, stalled: :stalled, io: :io, lock: :lock, sleep: :sleep, pool: :lock}.freeze

        # @param story [TimelineStory]
        # @param steps [Timeline::UnitStory]
        # @param most [Integer] periods
        def initialize(story, steps, words, most: Timeline::UnitStory::STEPS)
          @story = story
          @words = words
          @main = steps.main(most)
          @rest = steps.rest(@main)
          @length = steps.length
        end

        # @return [Array<MainPeriod>] from begin to end, then all others as one
        def periods
          @periods ||= [*@main.map { |step| period(step) }, *(other if @rest)]
        end

        # @return [Array<String>] titles: when, how long, what
        def columns
          %i[waterfall_at story_length story_what].map { |key| @words.call(key) }
        end

        # @return [View::Section] for a terminal
        def section(title: "", notes: [])
          at, length, _what = columns
          rows = periods.map { |period| [period.at, period.length, bar(period)] }
          View::Section.new(title:, columns: [at, length, ""], rows:, details: periods.map(&:text), notes:,
            wraps: true)
        end

        private

        def period(step)
          state = LOOKS[step.kind] || LOOKS.fetch(step.state, :sleep)
          from, to = [step.from, step.from + step.length].map { |ticks| ticks.fdiv(@length) }
          MainPeriod.new(at: @story.since(step), length: @story.length(step), state:, from:, to:,
            text: @story.main(step))
        end

        def other
          MainPeriod.new(at: "", length: @story.length(@rest), state: nil, from: nil, to: nil,
            text: @story.together(@rest, :rest))
        end

        def bar(period)
          return "" unless period.placed?
          first = (period.from * BAR).floor.clamp(0, BAR - 1)
          last = (period.to * BAR).ceil.clamp(first + 1, BAR)
          "#{" " * first}#{SYMBOLS.fetch(period.state) * (last - first)}#{" " * (BAR - last)}"
        end
      end

      # Names of units, threads and moments of a capture.
      class Names
        # @param whole [Boolean] whether a name stays on one line of a sentence
        def initialize(scene, words, whole: false)
          @scene = scene
          @words = words
          @whole = whole
        end

        # @param name [String, nil] of a unit or thread
        def text(name)
          (name.nil? || name.empty?) ? @words.call(:timeline_unnamed) : joined(View::Width.clean(name))
        end

        def thread(lane)
          @words.call(:timeline_thread,
            name: (lane.name.nil? || lane.name.empty?) ? lane.number : joined(View::Width.clean(lane.name)))
        end

        def holder(row)
          return @words.call(:timeline_thread, name: text(row.thread)) if row.thread
          row.name ? text(row.name) : @words.call(:timeline_unfinished)
        end

        # @return [String] a name, or a substitute for a unit that did not end
        def unit(unit)
          (unit.name || unit.to) ? text(unit.name) : @words.call(:timeline_unfinished)
        end

        # @return [String] the unit that held the GVL, else the thread
        def part(part)
          part.unit ? unit(part.unit) : thread(part.lane)
        end

        # @return [String] the method, and the line where it begins
        def method_of(row)
          frame(Capture::Frame.new(label: row.method, path: row.path, line: row.line, at: 0))
        end

        # @return [String] the method, and the line that ran
        def frame(frame)
          return text(frame.method_name) unless frame.place
          place = View::Width.clean(frame.place)
          return place if frame.named_by_place?
          @words.call(:timeline_frame, method: text(frame.method_name), place:)
        end

        # @return [String] for whom it waited longest, possibly empty, and the share of its waiting
        def main(unit)
          waits = @scene.spans_of(unit).select { |span| span.state == :stalled }.map { |span|
            @scene.wait(unit.lane, span)
          }
          return View::Figures::NONE if waits.empty?
          parts = waits.flat_map(&:parts).group_by { |part| part(part) }
          sums = parts.transform_values { |own| own.sum(&:ticks) }
          sums[@words.call(:timeline_handoff)] = waits.sum(&:handoff)
          holder, ticks = sums.max_by(&:last)
          share = View::Figures.share(ticks.fdiv(waits.sum { |wait| wait.span.length }))
          @words.call(:timeline_main, holder:, share:)
        end

        def time(ticks) = View::Figures.duration(@scene.ns(ticks))

        # @param ticks [Integer] since the window's start
        # @return [String] the time of day, UTC
        def clock(ticks)
          ns = @scene.recording.realtime_ns(ticks)
          Time.at(ns / 1_000_000_000, ns % 1_000_000_000, :nsec).utc.strftime("%F %T.%L UTC")
        end

        private

        def joined(name) = @whole ? name.tr(" ", View::Width::NO_BREAK) : name
      end
    end
  end
end
