# frozen_string_literal: true

module Holdup
  module Captures
    # A whole capture: its window and cost, findings, who waited longest, and for whom.
    class TimelineReport
      ROWS = 10
      # The same on one screen.
      FEW_ROWS = 3
      # Periods of one unit on it.
      FEW_PERIODS = 5

      # @param within [Array<Timeline::TimelineUnit>] units that may be listed
      # @param rows [Integer] of each table
      # @param source [Array<String>] what the next commands begin with: the file or id, and options
      def initialize(scene, holders:, patterns:, words:, within: scene.whole_units, methods: [], rows: ROWS,
        source: [])
        @scene = scene
        @holders = holders
        @patterns = patterns
        @methods = methods
        @words = words
        @within = within
        @rows = rows
        @source = source
        @names = TimelineStory::Names.new(scene, words)
        @header = scene.recording.header
      end

      # How many sentences and commands can be left out to fit a screen.
      def spare = spared.size

      # @param kept [Integer] of those that can be left out
      # @return [View::Page]
      def page(kept = spare)
        @kept = spared.first(kept)
        lead = [*answer].map { |text| View::Blocks::Lead.new(text:) }
        View::Page.new(title:, blocks: [*lead, View::Blocks::Notes.new(texts: kept(:findings), warning: true),
          View::Blocks::Notes.new(texts: kept(:remarks)), *tables, *commands])
      end

      # @return [String, nil] what happened to the unit that triggered it, else for whom all threads waited
      def answer
        sentences = TimelineAnswer.new(@scene, words: @words)
        @answer ||= (sentences.unit(@scene.caught) if @scene.caught) || sentences.whole
      end

      def title
        word(:title, process: @header.process_name, at: @names.clock(0),
          length: View::Figures.duration(@scene.recording.length_ns),
          events: View::Figures.count(@scene.recording.events.size), threads: @scene.lanes.size,
          units: View::Figures.count(@scene.units.size))
      end

      # @return [Array<String>] the capture's cost, and what is missing
      def remarks
        share = @header.cost_ns.fdiv([@scene.recording.length_ns, 1].max)
        [*by_rule,
          word(:cost, cost: View::Figures.duration(@header.cost_ns), share: View::Figures.share(share)),
          *(word(:open) unless @header.closed?),
          *(word(:lost, count: View::Figures.count(@header.overwritten)) if @header.overwritten.positive?)]
      end

      # @return [Array<String>] a sentence for each pattern
      def findings
        names = TimelineStory::Names.new(@scene, @words, whole: true)
        Patterns.new(@patterns, names:, words: @words).sentences
      end

      # @return [View::Section, nil] methods that ran while others waited; nil without stacks
      def ran
        return unless @scene.recording.stacks.any?
        Methods.new(@scene, @methods, words: @words, limit: @rows, brief: brief?).section
      end

      # @return [View::Section] units that waited longest, with their id in the second column
      def units
        waited = @within.to_h { |unit| [unit, @scene.sums_of(unit)] }
        longest = waited.max_by(@rows) { |_, sums| sums[:stalled] }
        columns = %i[unit id wall ran stalled idle for].map { |key|
          View::Blocks::Column.new(text: word(key), optional: brief? && %i[ran idle].include?(key))
        }
        View::Section.new(title: word(:units), columns:, rows: longest.map { |unit, sums|
          unit_row(unit, sums)
        },
          notes: [word(:more)])
      end

      # @return [View::Section] for whom threads waited
      def holders
        rows = @holders.call
        all = rows.sum(&:caused) + @holders.handoff
        lines = rows.first(@rows).map { |row| holder_row(row, all) }
        columns = %i[holder caused share waits held longest].map { |key| word(key) }
        handoff = [word(:handoff), time(@holders.handoff), share(@holders.handoff, all), "", "", ""]
        View::Section.new(title: word(:holders), columns:, rows: [*lines, handoff])
      end

      private

      def word(key, **facts)
        @words.call(:"timeline_#{key}", **facts)
      end

      # Whether it is for one screen, with the next commands.
      def brief? = @source.any?

      # @return [Array<Array(Symbol, Object)>] what can be left out with its block, the most important first
      def spared
        @spared ||= begin
          finding, *others = findings.map { |text| [:findings, text] }
          second = [:commands, next_commands.last] if next_commands.size > 1
          remarks = self.remarks.map { |text| [:remarks, text] }
          [[:holders, true], finding, second, [:methods, true], *others, *remarks,
            [:method_notes, true]].compact
        end
      end

      def kept(block)
        @kept.select { |owner, _| owner == block }.map(&:last)
      end

      def time(ticks) = @names.time(ticks)

      # What the thread was waiting for, and what came.
      def by_rule
        rule, unit = @header.facts.values_at("rule", "unit")
        return [] unless rule.is_a?(String) && @header.caught.positive?
        [word(:by_rule, rule: View::Width.clean(rule), unit: @names.text(unit&.to_s),
          stalled: View::Figures.duration(@header.caught_stalled_ns),
          wall: View::Figures.duration(@header.caught_wall_ns))]
      end

      def tables
        nothing = @scene.waits.empty? && @scene.units.empty?
        return [View::Blocks::Notes.new(texts: [word(:nothing)])] if nothing
        return [(units if @within.any?), holders, *ran].compact unless brief?
        methods = ran&.with(notes: kept(:method_notes).any? ? ran.notes : [])
        [waterfall || (units.with(notes: []) if @within.any?), (holders if kept(:holders).any?),
          (methods if kept(:methods).any?)].compact
      end

      # What happened to the unit that was caught, else to the one with the longest wait.
      def waterfall
        unit = shown_unit or return
        story = TimelineStory.new(@scene, unit, story: Timeline::UnitStory.new(@scene, unit), words: @words)
        title = word(:waterfall, name: @names.unit(unit), id: unit.id)
        story.waterfall(most: FEW_PERIODS).section(title:)
      end

      def shown_unit
        @shown_unit ||= @scene.caught || @scene.worst
      end

      # @return [Array<View::Blocks::Commands>] about the capture on the screen, if any
      def commands
        return [] unless brief?
        items = [next_commands.first, *kept(:commands)]
        [View::Blocks::Commands.new(title: @words.call(:screen_next), items:, notes: [word(:screen_more)])]
      end

      def next_commands
        return [] unless brief?
        @next_commands ||= begin
          unit = @scene.caught ? "caught" : shown_unit&.id || "slowest"
          [(command(:story, "--unit #{unit}", "--full") if @within.any?),
            command(:perfetto, "--export perfetto", "--out capture.pftrace")].compact
        end
      end

      def command(key, *options)
        start, *others = @source.map { |text| View::Blocks::ShellCommand.quoted(text) }
        View::Blocks::ShellCommand.new(words: ["holdup timeline #{start}", *others, *options],
          purpose: @words.call(:"screen_next_#{key}"))
      end

      def unit_row(unit, sums)
        [@names.text(unit.name), unit.id.to_s, time(unit.to - unit.from), time(sums[:running]),
          time(sums[:stalled]), time(sums[:idle]), @names.main(unit)]
      end

      def holder_row(row, all)
        [@names.holder(row), time(row.caused), share(row.caused, all), View::Figures.count(row.waits),
          time(row.held), time(row.longest)]
      end

      def share(ticks, all)
        all.zero? ? View::Figures::NONE : View::Figures.share(ticks.fdiv(all))
      end

      # Table of the methods that held the GVL longest while others waited. Shares are of all waiting, as in
      # the table of holders.
      class Methods
        # @param limit [Integer] methods that are named
        # @param brief [Boolean] whether names come before the less important figures
        def initialize(scene, rows, words:, limit:, brief: false)
          @scene = scene
          @limit = limit
          @brief = brief
          @words = words
          @named, @nameless = rows.partition(&:method)
          @all = rows.sum(&:stalled)
          @names = TimelineStory::Names.new(scene, words)
        end

        def section
          columns = %i[method in caused share held stalled].map { |key|
            View::Blocks::Column.new(text: word(key), optional: @brief && %i[held stalled].include?(key))
          }
          View::Section.new(title: word(:methods), columns:,
            rows: [*@named.first(@limit).map { |row| line(row) }, *rest, *nameless], notes: [note, *sampler])
        end

        private

        def word(key, **facts)
          @words.call(:"timeline_#{key}", **facts)
        end

        def line(row)
          [@names.method_of(row), row.unit ? @names.text(row.unit) : word(:no_unit), *figures([row])]
        end

        def rest
          rows = @named.drop(@limit)
          rows.empty? ? [] : [[word(:other_methods, count: View::Figures.count(rows.size)), "",
            *figures(rows)]]
        end

        def nameless
          @nameless.empty? ? [] : [[word(:no_stack), "", *figures(@nameless)]]
        end

        def figures(rows)
          caused = rows.sum(&:caused)
          [@names.time(caused), share(caused), @names.time(rows.sum(&:held)),
            @names.time(rows.sum(&:stalled))]
        end

        def share(ticks)
          @all.zero? ? View::Figures::NONE : View::Figures.share(ticks.fdiv(@all))
        end

        def sampler
          name = @scene.recording.header.facts["sampler"]
          name ? [word(:sampler, name: View::Width.clean(name.to_s))] : []
        end

        def note
          stacks = @scene.recording.header.stacks
          word(:stacks, count: View::Figures.count(stacks.taken),
            cost: View::Figures.duration(stacks.stack_ns),
            watch: View::Figures.duration(stacks.watch_ns), share: share(@named.sum(&:caused)))
        end
      end

      # A sentence for each pattern of a capture.
      class Patterns
        def initialize(patterns, names:, words:)
          @patterns = patterns
          @names = names
          @words = words
        end

        def sentences
          @patterns.map do |pattern|
            facts = figures(pattern.facts.except(:cause, :ran))
            word(pattern.key, **facts, **hold(pattern.facts, facts))
          end
        end

        private

        def word(key, **facts)
          @words.call(:"timeline_#{key}", **facts)
        end

        # Where the time of a long hold went, and its cause if known.
        def hold(known, facts)
          known[:cause] ? {parts: parts(known), cause: word(:"hold_#{known[:cause]}", **facts)} : {}
        end

        def figures(facts)
          facts.to_h { |name, fact| [name, figure(name, fact)] }
        end

        def figure(name, fact)
          case fact
          when nil then word(:no_unit)
          when Float then View::Figures.share(fact)
          when Integer then name.end_with?("ns") ? View::Figures.duration(fact) : View::Figures.count(fact)
          when Timeline::Lane then @names.thread(fact)
          else @names.text(fact)
          end
        end

        # The unit and the method, each with its share.
        def parts(facts)
          share = View::Figures.share(facts[:share])
          who, (frame, ran) = facts.values_at(:who, :ran)
          unit = who ? word(:hold_unit, share:, who: @names.text(who)) : word(:hold_outside, share:)
          frame ? "#{unit}#{word(:hold_ran, share: View::Figures.share(ran),
            frame: @names.frame(frame))}" : unit
        end
      end

      # The stored captures, newest first, a sentence each: the unit, the holder it waited for, and why the
      # capture was taken. Names are too long for a table.
      class KeptCaptures
        TRIGGERS = {"rule" => :by_rule, "until" => :asked_until, "dashboard" => :dashboard}.freeze

        def initialize(kept, words:)
          @kept = kept
          @words = words
        end

        # @return [View::Page]
        def page
          return View::Page.new(title: word(:none), blocks: []) if @kept.empty?
          View::Page.new(title: word(:title, count: @kept.size), blocks: [list])
        end

        private

        def word(key, **facts)
          @words.call(:"kept_#{key}", **facts)
        end

        def list
          View::Section.new(title: "", columns: ["", View::Blocks::Column.new(text: "", words: true)],
            rows: @kept.map { |one| [one.id, sentences(one)] }, notes: [word(:more)])
        end

        def sentences(one)
          return word(:broken) unless one.header
          trigger = TRIGGERS.fetch(one.facts["trigger"], :asked)
          @words.sentences([what(one), word(trigger, rule: text(one.facts["rule"]))])
        end

        def what(one)
          facts = one.facts
          events = word(:events, process: one.header.process_name, events: View::Figures.count(one.events))
          return events unless facts["unit"]
          stalled, wall = facts.values_at("stalled_ns", "wall_ns").map { |ns| duration(ns) }
          "#{word(:caught, unit: text(facts["unit"]), stalled:, wall:, holder: holder(facts))} #{events}"
        end

        def holder(facts)
          name, held_ns = facts.values_at("holder", "holder_ns")
          (name && held_ns) ? word(:holder, holder: text(name), held: duration(held_ns)) : ""
        end

        def text(name) = View::Width.clean(name.to_s)

        def duration(ns)
          ns.is_a?(Integer) ? View::Figures.duration(ns) : View::Figures::NONE
        end
      end
    end
  end
end
