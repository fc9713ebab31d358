# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # What a change did, see Sides.
      class Compare < ComputedPage
        HINTS = {"base_since" => "2d", "base_until" => "1d"}.freeze
        # As long as a name that fits into a form.
        CHOICE = 60

        # `choices`: see Sides#choices; `sides`: two, or fewer where there is nothing to compare;
        # `comparison`: nil then
        Figures = Data.define(:choices, :sides, :comparison)

        # @return [Figures]
        def self.figures(store, query, now_s:, step:)
          step.call([:step_comparing, {}])
          asked = ComparedSides.new(store, query, filter: filter(query), now_s:)
          sides = asked.call
          comparison = Analysis::Comparison.new(*sides) if sides.size == 2
          Figures.new(choices: asked.choices, sides:, comparison:)
        end

        # Comparisons are of one kind of units.
        def self.filter(query)
          query.filter(kind: query.kind || :request)
        end

        # @raise [UsageError] for a question that can't be read: before anything is computed
        def initialize(...)
          super
          @base = ComparedSides.new(store, query, filter:, now_s: @context.clock.realtime_s).base_moments
        end

        # @param figures [Figures]
        # @return [ComputedPage::Answer]
        def answer(figures)
          return nothing(figures) unless figures.comparison
          report = Holdup::View::Compare.new(figures.comparison, words: @words.reports, kind: filter.kind)
          json = Holdup::View::Compare::Json.new(figures.comparison, sentences: report.sentences).call
          ComputedPage::Answer.new(blocks: [*compared(figures, report), form(figures)], json:,
            offered: exports)
        end

        # @raise [UsageError] while there are not two
        def export(...)
          return super if offered.any?
          raise UsageError.new("this span has fewer than two things to compare",
            "choose a longer span, two arms or revisions, or give an earlier span")
        end

        private

        def moments = super + @base

        def nothing(figures)
          lead = Blocks::Lead.new(text: word(:nothing_to_compare))
          ComputedPage::Answer.new(blocks: [lead, form(figures)], json: nil, offered: [])
        end

        # The sentence and what is said of it come first, then what one sees at a glance.
        def compared(figures, report)
          Blocks.of(report.page).insert(2, Charts::Sides.new(figures.sides, words: @words).call)
        end

        def form(figures)
          fields = HINTS.map do |name, hint|
            Blocks::Field.new(name:, label: word(:"field_#{name}"), value: query[name], hint:)
          end
          fields += choices(figures)
          Blocks::Form.new(title: word(:compare_with), page: "compare", fields:, button: word(:show))
        end

        def choices(figures)
          width = Holdup::View::Width
          found = figures.choices.transform_values { |text| width.truncate(width.clean(text), CHOICE) }
          return [] if found.empty?
          options = {"" => word(:chosen_for_you), **found}
          ComparedSides::CHOSEN.map do |name|
            Blocks::Field.new(name:, label: word(:"compare_#{name}"), value: query[name], options:)
          end
        end

        def filter = self.class.filter(query)
      end
    end
  end
end
