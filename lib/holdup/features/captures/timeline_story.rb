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
        @names = Names.new(scene, words)
        @meanwhile = Timeline::HolderTable::HolderMethods.new(scene)
      end

      # @return [View::Page]
      def page
        lead = [*answer].map { |text| View::Blocks::Lead.new(text:) }
        *times, what = columns
        sentences = View::Blocks::Column.new(text: what, words: true)
        section = View::Section.new(title: "", columns: [*times, sentences], rows:)
        notes = View::Blocks::Notes.new(texts: [*chain, split, *remarks])
        View::Page.new(title:, blocks: [*lead, notes, section])
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
        @story.call.map { |step| ["+#{time(step.from)}", time(step.length), sentence(step)] }
      end

      private

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
        when nil then together(step)
        when :stalled then [
          word((step.kind == :preempted) ? :step_preempted : :step_stalled,
            holders: holders(step.wait)), *itself(step.wait)
        ].join
        when :idle then word(:step_idle, kind: word(:"kind_#{step.kind || "none"}"))
        else word(:"step_#{step.state}")
        end
      end

      def together(step)
        word(:step_together, count: View::Figures.count(step.count),
**%i[running stalled idle].to_h { |state| [state, time(step.sums.fetch(state, 0))] })
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

      # Names of units, threads and moments of a capture.
      class Names
        def initialize(scene, words)
          @scene = scene
          @words = words
        end

        # @param name [String, nil] of a unit or thread
        def text(name)
          (name.nil? || name.empty?) ? @words.call(:timeline_unnamed) : View::Width.clean(name)
        end

        def thread(lane)
          @words.call(:timeline_thread,
            name: (lane.name.nil? || lane.name.empty?) ? lane.number : View::Width.clean(lane.name))
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
          frame.place ? @words.call(:timeline_frame, method: text(frame.method_name),
            place: View::Width.clean(frame.place)) : text(frame.method_name)
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
          "#{holder} (#{share})"
        end

        def time(ticks) = View::Figures.duration(@scene.ns(ticks))

        # @param ticks [Integer] since the window's start
        # @return [String] the time of day, UTC
        def clock(ticks)
          ns = @scene.recording.realtime_ns(ticks)
          Time.at(ns / 1_000_000_000, ns % 1_000_000_000, :nsec).utc.strftime("%F %T.%L UTC")
        end
      end
    end
  end
end
