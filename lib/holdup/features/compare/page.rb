# frozen_string_literal: true

module Holdup
  module Compare
    # The effect of a change, see ChosenSides.
    class Page < Web::ComputedPage
      HINTS = {"base_since" => "2d", "base_until" => "1d"}.freeze
      # Length of a name that fits into a form.
      CHOICE = 60
      # How far back a change of a setting is offered.
      CHANGES_S = 86_400

      # What the page is made of. `choices`: see ChosenSides#choices; `presets`: see Presets; `result`:
      # ComparisonResult, nil if there is nothing to compare
      ComparedFigures = Data.define(:choices, :presets, :result)

      # @return [ComparedFigures] without the recordings
      def self.figures(store, query, now_s:, step:, **)
        step.call([:step_comparing, {}])
        asked = ChosenSides.new(store, query, filter: filter(query), now_s:)
        sides, presets = store.snapshot { [asked.call, presets(store, query, asked, now_s)] }
        result = Comparison.new(*sides).result if sides.size == 2
        ComparedFigures.new(choices: asked.choices, presets:, result:)
      end

      # Presets are of the usual span, whatever span the page shows.
      def self.presets(store, query, asked, now_s)
        span = {from_s: now_s - CHANGES_S, to_s: now_s, filter: filter(query)}
        deploy, change = [true, false].map { |deploys| LastChangeReader.call(store, **span, deploys:) }
        oldest_s = store.extent.first
        Presets.of(asked.choices.keys, deploy:, change:, recorded_s: oldest_s && now_s - oldest_s)
      end
      private_class_method :presets

      # A comparison covers one kind of units.
      def self.filter(query)
        query.filter(kind: query.kind || :request)
      end

      # @raise [UsageError] for an invalid question, before any computation
      def initialize(...)
        super
        @base = ChosenSides.new(store, query, filter:, now_s: @context.clock.realtime_s).base_moments
      end

      # @raise [UsageError] unless there are two sides
      def export(...)
        return super if offered.any?
        raise View::InputError.new(:one_side)
      end

      private

      # @param result [Queries::KeptResults::KeptResult] of ComparedFigures
      def content(result, **)
        figures = result.value
        return nothing(figures) unless figures.result
        report = Report.new(figures.result, words: @words, kind: filter.kind)
        json = Json.new(figures.result, sentences: report.sentences).call
        blocks = [presets(figures), *compared(figures.result, report), form(figures)]
        PageContent.new(blocks:, json:, offered: exports)
      end

      def moments = super + @base

      def nothing(figures)
        return PageContent.new(blocks: [no_data, missing], json: nil, offered: []) unless store.extent.last
        lead = View::Blocks::Lead.new(text: word(:nothing_to_compare))
        PageContent.new(blocks: [presets(figures), lead, form(figures)], json: nil, offered: [])
      end

      def no_data
        View::Blocks::Lead.new(text: word(:verdict_no_data, units: @words.units(filter.kind)))
      end

      def presets(figures)
        there, missing = figures.presets.partition { |_, params| params }
        links = there.map do |name, params|
          View::Blocks::Link.new(text: word(:"compare_preset_#{name}"), page: "compare", params:)
        end
        texts = missing.map { |name, _| word(:"compare_no_#{name}") }
        Web::Pages::Controls::Links.new(title: word(:compare_presets), links:, missing: texts)
      end

      # The verdict and its remarks come first, then the charts.
      def compared(result, report)
        page = report.page
        lead, remarks, *tables = page.blocks
        charts = Report::SideCharts.new([result.before, result.after], words: @words).call
        [lead, remarks.with(texts: page.about + remarks.texts), charts, *tables]
      end

      def form(figures)
        fields = HINTS.map do |name, hint|
          Web::Pages::Controls::Field.new(name:, label: word(:"field_#{name}"), value: query[name], hint:)
        end
        fields += choices(figures)
        Web::Pages::Controls::Form.new(title: word(:compare_with), page: "compare", fields:,
          button: word(:show))
      end

      def choices(figures)
        width = View::Width
        found = figures.choices.transform_values do |text|
          width.truncate(width.clean(@words.setting_label(text)), CHOICE)
        end
        return [] if found.empty?
        options = {"" => word(:chosen_for_you), **found}
        ChosenSides::CHOSEN.map do |name|
          Web::Pages::Controls::Field.new(name:, label: word(:"compare_#{name}"), value: query[name],
            options:)
        end
      end

      def filter = self.class.filter(query)

      # The two sides of a comparison: an earlier span and this one, or two settings, arms or revisions in
      # it; by default the last two settings.
      class ChosenSides
        SPAN = %w[base_since base_until].freeze
        CHOSEN = %w[before after].freeze
        # Facts of settings to choose by.
        FACTS = [SettingGroups::SETTING, Setting::LABEL, "revision"].freeze

        # @param filter [Analysis::UnitFilter] which units
        # @raise [UsageError] for parameters that exclude each other
        def initialize(store, query, filter:, now_s:)
          @store = store
          @query = query
          @filter = filter
          @now_s = now_s
          check
        end

        # @return [Array<Side>] two, or fewer if there is nothing to compare
        # @raise [UsageError] for values that are invalid or not in the span
        def call
          sides.select { |side| side.units.positive? }
        end

        # @return [Hash{String => String}] choices in this span with their labels, by "revision:3f2a9c1"
        def choices
          @choices ||= FACTS.map { |fact| groups(fact) }.select { |found| found.to_h.size > 1 }
            .flat_map { |found|
            found.to_h.keys.map { |value|
              ["#{found.fact}:#{value}",
                found.label(value)]
            }
          }.to_h
        end

        # @return [Array<Integer>] start and end of the earlier span; empty without one
        # @raise [UsageError] for invalid values
        def base_moments
          spans? ? base : []
        end

        private

        def spans?
          SPAN.any? { |name| @query[name] }
        end

        def chosen = @query.all.values_at(*CHOSEN).compact

        def check
          raise View::InputError.new(:one_of_both) if chosen.one?
          if chosen.any? && spans?
            raise View::InputError.new(:both_named_twice)
          end
        end

        def sides
          (parts.size < 2) ? [] : Reader.sides(parts)
        end

        def parts = @parts ||= asked

        def asked
          return of_spans if spans?
          chosen.any? ? chosen.map { |choice| picked(choice) } : last_settings
        end

        def of_spans
          from_s, to_s = base
          [
            [Reader.new(@store, from_s:, to_s:, filter: @filter),
              View::Figures::Moments.span(from_s, to_s)], [recorded, @query.span]
          ]
        end

        def base
          from_s = moment("base_since") || raise(View::InputError.new(:no_base))
          to_s = moment("base_until") || @query.from_s
          unless from_s < to_s
            raise View::InputError.new(:not_before, :swap_compared, one: "base_since", other: "base_until")
          end
          [from_s, to_s]
        end

        def moment(name)
          @query[name] && Queries::OptionValues.moment(name, @query[name], now_s: @now_s)
        end

        def picked(choice)
          called = choices[choice] || raise(View::InputError.new(:nothing_named,
            name: choice[0, 100].inspect))
          fact, value = choice.split(":", 2)
          [recorded, called, groups(fact).to_h.fetch(value)]
        end

        # The order is that of time; settings that differ only in the arm count as one.
        def last_settings
          found = groups(SettingGroups::SETTING)
          found.to_h.keys.last(2).map { |value| [recorded, found.label(value), found.to_h[value]] }
        end

        def groups(fact)
          (@groups ||= {})[fact] ||= SettingGroups.new(recorded.settings, fact)
        end

        def recorded
          @recorded ||= Reader.new(@store, from_s: @query.from_s, to_s: @query.until_s,
            filter: @filter)
        end
      end
    end
  end
end
