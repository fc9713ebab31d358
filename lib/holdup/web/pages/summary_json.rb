# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # The figures of a page that shows parts of a report, for programs: the report.
      module SummaryJson
        private

        def json
          View::Json.new(summary, words: @words, marks:).call
        end
      end
    end
  end
end
