# frozen_string_literal: true

require_relative "../../analysis/comparison"
require_relative "../../reports/compare"
require_relative "../../reports/compare/json"
require_relative "../charts/sides"
require_relative "base"
require_relative "compare/sides"

module Holdup
  class Web
    module Pages
      # What a change did, see Sides.
      class Compare < Base
        HINTS = {"base_since" => "2d", "base_until" => "1d"}.freeze
        # As long as a name that fits into a form.
        CHOICE = 60

        # @return [Array<Object>]
        def blocks = [form, *(two? ? compared : [Blocks::Notes.new(texts: [word(:nothing_to_compare)])])]

        # What can't be had is not offered.
        def offered = two? ? super : []

        # @raise [UsageError] while there are not two
        def export(...)
          raise UsageError.new("there are not two things to compare here", "choose a longer span, two arms or revisions, or give an earlier span") unless two?
          super
        end

        private

        def two? = sides.size == 2

        def json = Reports::Compare::Json.new(comparison, sentences: report.sentences).call

        def form
          fields = HINTS.map { |name, hint| Blocks::Field.new(name:, label: word(:"field_#{name}"), value: query[name], hint:) }
          Blocks::Form.new(title: word(:compare_with), page: "compare", fields: fields + choices, button: word(:show))
        end

        def choices
          found = asked.choices.transform_values { |text| Reports::Width.truncate(Reports::Width.clean(text), CHOICE) }
          return [] if found.empty?
          Sides::CHOSEN.map { |name| Blocks::Field.new(name:, label: word(:"compare_#{name}"), value: query[name], options: {"" => word(:chosen_for_you), **found}) }
        end

        # The sentence and what is said of it come first, then what one sees at a glance.
        def compared = Blocks.of(report.page).insert(2, Charts::Sides.new(sides, words: @words).call)

        def report = @report ||= Reports::Compare.new(comparison, words: @words.reports, kind: filter.kind)

        def comparison = @comparison ||= Analysis::Comparison.new(*sides)

        # Comparisons are of one kind of units.
        def filter = @filter ||= query.filter(kind: query.kind || :request)

        def asked = @asked ||= Sides.new(store, query, filter:, now_s: @context.clock.realtime_s)

        def sides = @sides ||= asked.call
      end
    end
  end
end
