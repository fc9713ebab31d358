# frozen_string_literal: true

module Holdup
  module Compare
    # When was before and after the last change of a setting?
    module LastChangeReader
      # @param filter [Analysis::UnitFilter] which units
      # @return [Array(Array(Integer, Integer), Array(Integer, Integer)), nil] as much recorded time before it
      #   as after it, with no other change in it, in seconds since 1970; nil: nothing has changed
      def self.call(store, from_s:, to_s:, filter:)
        *earlier, last_s = Queries::SettingHistory.changes(store, from_s:, to_s:).map(&:at_s).uniq
        return unless last_s
        recorded = Queries::RecordedInterval::ChartedSpan.new(store, filter:, units: true)
        before = recorded.within(earlier.last || from_s, last_s)
        after = recorded.within(last_s, to_s)
        equally_long(before, after) if before && after
      end

      def self.equally_long(before, after)
        length_s = [before, after].map { |began_s, ended_s| ended_s - began_s }.min
        [[before.last - length_s, before.last], [after.first, after.first + length_s]]
      end
      private_class_method :equally_long
    end
  end
end
