# frozen_string_literal: true

require_relative "../../reports/json"

module Holdup
  class Web
    module Pages
      # The figures of a page that shows parts of a report, for programs: the report.
      module Reported
        private

        def json = Reports::Json.new(summary, words: @words.reports, marks:).call
      end
    end
  end
end
