# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # The files of a page that shows parts of a report: the report.
      module Reported
        def exports = %w[json md]

        # @return [String]
        def export(ending)
          if ending == "json"
            require_relative "../../reports/json"
            return Reports::Json.new(summary, words: @words.reports, marks:).call
          end
          require_relative "../../reports/markdown"
          Reports::Markdown.new(summary, words: @words.reports, limit: query.limit).call
        end
      end
    end
  end
end
