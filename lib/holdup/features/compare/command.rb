# frozen_string_literal: true

module Holdup
  module Compare
    # Compares two times, settings, arms or revisions, with confidence intervals.
    class Command
      extend CLI::CommandArguments

      FORMATS = %i[text json markdown html].freeze

      # A range of time: "2d..1d", or "1h.." to now.
      RangeType = Data.define do
        include Queries::OptionTypes::Plain

        # @return [Array(Integer, Integer)] seconds since 1970
        def read(option, text, now_s)
          from, to = text.split("..", 2)
          unless to && !from.empty?
            raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
              "it takes a range such as 2d..1d, 1h.. or 2026-11-20T12:00..2026-11-20T14:00")
          end
          from_s = Queries::OptionValues.moment(option, from, now_s:)
          to_s = to.empty? ? now_s : Queries::OptionValues.moment(option, to, now_s:)
          return [from_s, to_s] if from_s < to_s
          raise UsageError.new("#{option} ends before it begins: #{text[0, 100].inspect}",
            "write the earlier time first")
        end
      end

      # One of `--states`. `store`: nil for that of `--store`; `setting`: start of its fingerprint, nil for
      # all settings
      State = Data.define(:label, :store, :from_s, :to_s, :setting)

      StateType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, now_s)
          label, _, rest = text.partition("=")
          store, _, what = rest.rpartition("@")
          if label.empty? || what.empty?
            raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
              "each is LABEL=RANGE, LABEL=SETTING, LABEL=STORE@RANGE or LABEL=STORE@SETTING")
          end
          setting = what if self.class::FINGERPRINT.match?(what)
          from_s, to_s = RangeType.new.read(option, what, now_s) unless setting
          State.new(label:, store: store.empty? ? nil : store, from_s:, to_s:, setting:)
        end
      end
      StateType::FINGERPRINT = /\A\h{4,12}\z/

      # Two revisions: the option is given twice, see Arguments.spread.
      RevisionType = Data.define do
        def read(_option, text, _now_s) = text

        def add(earlier, text) = [*earlier, text]

        def schema = {type: "array", items: {type: "string"}, minItems: 2, maxItems: 2}
      end

      families = Comparison::Metric::FAMILIES
      OPTIONS = CLI::Options.new("holdup compare [--before RANGE --after RANGE | --by WHAT] [options]", [
        Queries::Option.declare("--before RANGE", RangeType.new,
          "2d..1d, or 2026-11-20T12:00..2026-11-20T14:00", tool: "a range such as 3h..1h"),
        Queries::Option.declare("--after RANGE", RangeType.new, "the same; 1h.. is the last hour",
          tool: "a range such as 1h.."),
        Queries::Option.text("--by WHAT", "setting, arm, or another fact of settings: jit, threads",
          tool: "setting, arm, or a fact of settings such as jit or threads"),
        Queries::Option.declare("--revision A B", RevisionType.new, "two revisions of the application",
          tool: "two revisions of the application"),
        Queries::Option.declare("--states S S ...", Queries::OptionTypes::Repeated.new(StateType.new),
          "LABEL=RANGE, =SETTING, =STORE@RANGE, =STORE@SETTING"),
        Queries::Option.declare("--values A,B", Queries::OptionTypes::Texts.new,
          "with --by: these two, as they are called there", tool: "with by: two of them, such as on,off"),
        *Queries::SelectionOptions.span("of settings and their changes: 1d (the default) ago"),
        *Queries::SelectionOptions.origin(%i[app host role]),
        Queries::SelectionOptions[:kind],
        Queries::SelectionOptions[:name],
        Queries::Option.declare("--metric LIST", Queries::OptionTypes::Choices.new(families),
          families.join(","), key: :families, tool: "only these, such as #{families.first(2).join(",")}"),
        *CLI::Formats::SCREEN_OPTIONS,
        *CLI::Formats.options(FORMATS),
        CLI::Options::OUT,
        CLI::Options::STORE,
        CLI::Options::LANGUAGE
      ])

      # @return [Hash{Symbol => Object}] keywords of Command, or {help: text}
      # @raise [UsageError]
      def self.parse(argv, console) = super(Arguments.spread(argv), console)

      # @raise [UsageError]
      def self.keywords(given, _console) = Arguments.new(given).keywords

      # @param sides [Hash{Symbol => Object}] what is compared, see Arguments
      # @param format [Symbol] one of FORMATS
      # @param families [Array<Symbol>, nil] of metrics
      # @param out [String, nil] file that it is written to
      # @param full [Boolean] whether a text has all tables, not only one screen
      # @param wide [Boolean] whether a text cuts no name
      # @param again [Hash{String => Hash{String => String}}] what the next commands take of what was given
      def initialize(console:, sides:, filter:, format: :text, families: nil, full: false, wide: false,
        origin: Queries::Origin.new, out: nil, store: nil, language: nil, again: {})
        @console = console
        @asked = sides
        @filter = filter
        @format = format
        @families = families
        @full = full
        @wide = wide
        @again = again
        @destination = CLI::Formats::Destination.new(console, file: out, format:)
        @origin = origin
        @store = store
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      # @raise [Error] there is nothing to compare
      def run
        @destination.write(@asked[:states] ? states : rendered(comparison))
        CLI::OK
      end

      private

      def comparison
        sides = CLI::Places.reading(@console.env, @store, origin: @origin) do |store|
          spans = @asked[:by] ? nil : @asked[:spans] || around_last_change(store)
          check_filter(store, spans || [@asked.values_at(:from_s, :to_s)])
          Reader.sides(spans ? of_spans(store, spans) : of_settings(store))
        end
        sides.each { |side| check(side) }
        Comparison.new(*sides).result
      end

      # @raise [UsageError] nothing has changed
      def around_last_change(store)
        from_s, to_s = @asked.values_at(:from_s, :to_s)
        LastChangeReader.call(store, from_s:, to_s:, filter: @filter) ||
          raise(UsageError.new("compare needs two sides, because no setting changed in #{span(from_s, to_s)}",
            "give --before and --after, --by, --revision or --states, or an earlier --since"))
      end

      def of_spans(store, spans)
        spans.map { |from_s, to_s| [recorded(store, from_s, to_s), span(from_s, to_s)] }
      end

      def of_settings(store)
        recorded = recorded(store, *@asked.values_at(:from_s, :to_s))
        @picked = SettingGroups.new(recorded.settings, @asked[:by]).pick(@asked[:values])
        @picked.sides.map { |label, settings| [recorded, label, settings] }
      end

      # Each state may have its own store, as experiments leave them.
      def states
        sides = @asked[:states].map { |state| side_of(state) }
        sides.each { |side| check(side) }
        render_states(sides.drop(1).map { |side| Comparison.new(sides.first, side) })
      end

      def side_of(state)
        CLI::Places.reading(@console.env, state.store || @store, origin: @origin) do |store|
          check_filter(store, [[state.from_s, state.to_s]])
          recorded = recorded(store, state.from_s, state.to_s)
          recorded.side(state.label, settings(recorded, state))
        end
      end

      # @return [Array<Setting>, nil] nil: all of that time
      def settings(recorded, state)
        return unless state.setting
        groups = SettingGroups.new(recorded.settings, SettingGroups::SETTING)
        groups.settings(state.setting)
      end

      def render_states(comparisons)
        if @format == :json
          return "#{JSON.pretty_generate(comparisons.map { |comparison| json(comparison).to_h })}\n"
        end
        options = {words: @words, kind: @filter.kind, families: @families}
        render(States.new(comparisons, **options).page)
      end

      def recorded(store, from_s, to_s)
        Reader.new(store, from_s:, to_s:, filter: @filter)
      end

      def check_filter(store, spans)
        spans.each do |from_s, to_s|
          unmatched = Queries::UnmatchedFilter.of(store, from_s, to_s, @filter)
          raise unmatched.error if unmatched
        end
      end

      def check(side)
        return if side.units.positive?
        raise Error.new("there are no #{@filter.kind}s in #{side.label}",
          "`holdup report` shows what there is; --kind and --name choose")
      end

      def rendered(comparison)
        case @format
        when :json then json(comparison).call
        when :html then html(comparison)
        when :markdown then render(report(comparison).page)
        else text(comparison)
        end
      end

      # The metrics that were asked for are all shown.
      def text(comparison)
        return render(report(comparison).page) if @full || @families
        screen = Report::CompareScreen.new(comparison, again: @again, **layout)
        CLI::Formats.screen(screen, console: @console, wide: @wide)
      end

      # Shows the distributions of both sides in one chart.
      def html(comparison)
        page = report(comparison).page
        charts = Report::SideCharts.new([comparison.before, comparison.after], words: @words).call
        render(page.with(blocks: [*page.blocks, charts]))
      end

      def report(comparison) = Report.new(comparison, **layout)

      def layout
        {words: @words, kind: @filter.kind, families: @families, picked: @picked}
      end

      def json(comparison)
        Json.new(comparison, sentences: report(comparison).sentences)
      end

      def render(page)
        CLI::Formats.render(page, format: @format, console: @console, words: @words, wide: @wide)
      end

      def span(from_s, to_s)
        [from_s, to_s].map { |second| Time.at(second).strftime("%Y-%m-%d %H:%M") }.join(" - ")
      end

      # The arguments of `holdup compare` as the keywords of Compare.
      class Arguments
        # Options that take several arguments.
        LISTS = %w[--revision --states].freeze
        # Ways to name both sides, each with the values that it takes.
        MODES = {"--before and --after" => %i[before after], "--by" => %i[by], "--revision" => %i[revision],
                 "--states" => %i[states]}.freeze

        # @return [Array<String>] "--revision A B" as "--revision A --revision B"
        def self.spread(argv)
          list = nil
          argv.flat_map do |argument|
            if argument.start_with?("-")
              list = (argument if LISTS.include?(argument))
              next list ? [] : [argument]
            end
            list ? [list, argument] : [argument]
          end
        end

        # @param given [CLI::GivenOptions]
        def initialize(given)
          @given = given
          @now_s = given.now_s
        end

        # @raise [UsageError]
        def keywords
          values = @given.values
          check(values)
          {
            filter: Analysis::UnitFilter.new(kind: values.fetch(:kind, :request), name: values[:name]),
            sides: sides_of(values),
            again: @given.for_commands(Report::CompareScreen::COMMANDS),
            **values.slice(:families, :format, :full, :wide, :origin, :out, :store, :language)
          }
        end

        private

        def check(values)
          modes = MODES.select { |_, keys| keys.intersect?(values.keys) }.keys
          if modes.size > 1
            raise UsageError.new("#{modes.first} can't be combined with #{modes.last}",
              "each of them names both sides; leave one out")
          end
          missing = MODES.fetch("--before and --after") - values.keys
          raise UsageError.new("--#{missing.first} is missing", "give both ranges") if missing.one?
          check_numbers(values)
          check_span(values)
        end

        def check_numbers(values)
          %i[values revision].each do |key|
            raise UsageError.new("--#{key} takes two", "such as A B") if values[key] && values[key].size != 2
          end
          if values[:states]&.one?
            raise UsageError.new("--states takes two or more", "the others are compared with the first")
          end
        end

        def check_span(values)
          if values[:values] && !values[:by]
            raise UsageError.new("--values goes with --by only", "it says which values of that fact")
          end
          given = %i[since until].find { |key| values[key] }
          ranges = values[:before] || values[:states]&.none?(&:setting)
          return if given.nil? || !ranges
          raise UsageError.new("--#{given} goes with --by or --revision", "ranges say it already")
        end

        def sides_of(values)
          return {spans: values.values_at(:before, :after)} if values[:before]
          span = span_of(values)
          if values[:states]
            return {states: values[:states].map { |state| state.from_s ? state : state.with(**span) }}
          end
          return {by: "revision", values: values[:revision], **span} if values[:revision]
          {by: values[:by], values: values[:values], **span}
        end

        def span_of(values)
          to_s = values.fetch(:until, @now_s)
          from_s, to_s = Queries::SelectionOptions.ordered(values.fetch(:since, to_s - DAY_S), to_s)
          {from_s:, to_s:}
        end
      end
    end
  end
end
