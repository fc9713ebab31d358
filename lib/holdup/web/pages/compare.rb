# frozen_string_literal: true

require_relative "../../analysis/setting_names"
require_relative "../../errors"
require_relative "../../inquiry/recorded"
require_relative "../../inquiry/values"
require_relative "../../reports/compare"
require_relative "base"

module Holdup
  class Web
    module Pages
      # What a change did: this span against an earlier one, or the last two settings in it.
      class Compare < Base
        FIELDS = {"base_since" => "2d", "base_until" => "1d"}.freeze

        # @return [Array<Object>]
        def blocks = [form, *((sides.size == 2) ? Blocks.of(report.page) : [Blocks::Notes.new(texts: [word(:nothing_to_compare)])])]

        def exports = (sides.size == 2) ? %w[json] : []

        # @return [String]
        def export(_json)
          require_relative "../../reports/compare/json"
          Reports::Compare::Json.new(comparison, sentences: report.sentences).call
        end

        private

        def form
          fields = FIELDS.map { |name, hint| Blocks::Field.new(name:, label: word(:"field_#{name}"), value: query[name], hint:) }
          Blocks::Form.new(title: word(:compare_with), page: "compare", fields:, button: word(:show))
        end

        def report = @report ||= Reports::Compare.new(comparison, words: @words.reports, kind: filter.kind)

        def comparison = @comparison ||= Analysis::Comparison.new(*sides)

        # Comparisons are of one kind of units.
        def filter = @filter ||= query.filter(kind: query.kind || :request)

        # @return [Array<Analysis::Comparison::Side>] two, or fewer where there is nothing to compare
        def sides = @sides ||= ((FIELDS.keys.any? { |name| query[name] }) ? of_spans : of_settings).select { |side| side.units.positive? }

        def of_spans = [base, [query.from_s, query.until_s]].map { |from_s, to_s| recorded(from_s, to_s).side(told(from_s, to_s)) }

        def base
          from_s, to_s = moment("base_since") || raise(UsageError.new("base_since is missing", "say where the earlier span begins")), moment("base_until") || query.from_s
          raise UsageError.new("base_since is not before base_until", "there would be nothing to compare with; swap or correct them") unless from_s < to_s
          [from_s, to_s]
        end

        def moment(name) = query[name] && Inquiry::Values.moment(name, query[name], now_s: @context.clock.realtime_s)

        # In the order in which they came.
        def of_settings
          recorded = recorded(query.from_s, query.until_s)
          settings = recorded.settings.keys
          names = Analysis::SettingNames.new(settings)
          settings.last(2).map { |setting| recorded.side(names.name(setting), [setting]) }
        end

        def recorded(from_s, to_s) = Inquiry::Recorded.new(store, from_s:, to_s:, filter:)

        def told(*span) = span.map { |second| Time.at(second).strftime("%F %H:%M") }.join(" - ")
      end
    end
  end
end
