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
        known = store.sightings(from_s, to_s, step_s:, kinds: Series::UNITS).map { |at_s, setting| Analysis::Marks::Sighting.new(at_s:, setting:) }
        Analysis::Marks.new(known, gone_s: [Analysis::Turn::GONE_S, 2 * step_s].max).to_a
      end
    end
  end
end
