# frozen_string_literal: true

require_relative "../../inquiry/course"
require_relative "../charts/course"
require_relative "../charts/course_table"

module Holdup
  class Web
    module Pages
      # Figures over time, for pages that show them.
      module Coursing
        # @return [Hash{String => Chart}]
        def charts = over_time_charts.to_h

        private

        def course = @course ||= Inquiry::Course.call(store, from_s: query.from_s, to_s: query.until_s, filter: query.filter)

        def over_time_charts = Charts::Course.new(course, words: @words)

        def over_time
          return if course.empty?
          Charts::Block.new(title: word(:over_time), names: over_time_charts.titles, twin: Charts::CourseTable.new(course, words: @words, limit: query.limit).call)
        end
      end
    end
  end
end
