# frozen_string_literal: true

require_relative "../analysis/marks"
require_relative "course"

module Holdup
  module Inquiry
    # Reads when settings changed in a span of the store.
    module Marks
      module_function

      # @param store [Stores::Sql]
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @return [Array<Analysis::Marks::Mark>]
      def call(store, from_s:, to_s:)
        step_s = Course.step_s(from_s, to_s, store.finest_s(from_s))
        sums = store.sums(from_s, to_s, step_s:, together: Course::ALL, kinds: Series::UNITS, histograms: [])
        known = sums.map(&:window).select(&:setting).map { |window| Analysis::Marks::Sighting.new(at_s: window.start_s, setting: window.setting) }
        Analysis::Marks.new(known, gone_s: [Analysis::Turn::GONE_S, 2 * step_s].max).to_a
      end
    end
  end
end
