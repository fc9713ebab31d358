# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # The figures of a page that shows parts of a report, for programs: the report.
      module SummaryJson
        private

        def json
          Holdup::View::Json.new(summary, words: @words.reports, marks:).call
        end
      end
    end
  end
end
