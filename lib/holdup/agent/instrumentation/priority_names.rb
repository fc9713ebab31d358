# frozen_string_literal: true

module Holdup
  module Instrumentation
    # Priorities of jobs as text, each made once. Units are kept apart by it, so there must be few: an
    # application that computes priorities (from the time, from an id) gets one for all beyond the first.
    class PriorityNames
      MOST = 8
      OTHERS = "others"

      def initialize
        @known = {}
      end

      # @param priority [Integer, nil]
      # @return [String, nil] "10"; nil for a job without one
      def text(priority)
        return unless priority
        @known.fetch(priority) { (@known.size < MOST) ? @known[priority] = priority.to_s.freeze : OTHERS }
      end
    end
  end
end
