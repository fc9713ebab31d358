# frozen_string_literal: true

require_relative "../../../analysis/sizing/what_if"
require_relative "../../../inquiry/values"
require_relative "../../../reports/what_if"
require_relative "../../blocks"

module Holdup
  class Web
    module Pages
      # What would be with another load, machine or setting: as `holdup whatif`, asked by a form.
      class WhatIf
        # What the address calls them, with an example. Plain names would be those of filters.
        HINTS = {"if_load" => "x2", "if_vcpus" => "4", "if_threads" => "3", "if_processes" => "2", "if_slice" => "10ms"}.freeze
        SIZE = (1..1000)

        # @param query [Query]
        # @param words [Words]
        # @raise [UsageError] for what can't be read
        def initialize(query, words:)
          @query = query
          @words = words
          @change = change
        end

        # @return [Blocks::Form]
        def form
          fields = HINTS.map { |name, hint| Blocks::Field.new(name:, label: @words.call(:"field_#{name}"), value: @query[name], hint:) }
          Blocks::Form.new(title: @words.call(:what_if_title), page: "advice", fields:, button: @words.call(:what_if_button))
        end

        # @return [Boolean]
        def asked? = HINTS.keys.any? { |name| @query[name] }

        # @param recommendation [Analysis::Sizing::Recommendation, nil]
        # @return [Reports::WhatIf, nil] nil where nothing is asked, or nothing can be replayed: the advice says why
        def report(recommendation, kind:, span:)
          return unless asked? && recommendation && recommendation.reasons.empty?
          found = Analysis::Sizing::WhatIf.new(recommendation, @change)
          Reports::WhatIf.new(found, change: @change, kind:, slo: recommendation.objective.slo, span:, words: @words.reports)
        end

        private

        def change
          Analysis::Sizing::WhatIf::Change.new(**{factor: read("if_load", :factor), vcpus: read("if_vcpus", :positive), threads: read("if_threads", :whole, SIZE),
                                                  processes: read("if_processes", :whole, SIZE), time_slice_ns: read("if_slice", :time_slice)}.compact)
        end

        def read(name, how, *range) = @query[name] && Inquiry::Values.public_send(how, name, @query[name], *range)
      end
    end
  end
end
