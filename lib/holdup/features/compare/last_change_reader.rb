# frozen_string_literal: true

module Holdup
  module Compare
    # When was before and after the last change of a setting?
    module LastChangeReader
      # @param filter [Analysis::UnitFilter] which units
      # @param deploys [Boolean] whether only changes count that came with another revision
      # @return [Array(Array(Integer, Integer), Array(Integer, Integer)), nil] as much recorded time before it
      #   as after it, with no other change in it, in seconds since 1970; nil: nothing has changed
      def self.call(store, from_s:, to_s:, filter:, deploys: false)
        changes = Queries::SettingHistory.changes(store, from_s:, to_s:)
        asked_s = changes.select { |change| !deploys || change.deployed? }.map(&:at_s).last or return
        earlier_s, later_s = others(changes, asked_s)
        recorded = Queries::RecordedInterval::ChartedSpan.new(store, filter:, units: true)
        before = recorded.within(earlier_s || from_s, asked_s)
        after = recorded.within(asked_s, later_s || to_s)
        equally_long(before, after) if before && after
      end

      # @return [Array(Integer, Integer)] the changes beside that one; nil where there is none
      def self.others(changes, at_s)
        times = changes.map(&:at_s)
        [times.select { |time| time < at_s }.max, times.select { |time| time > at_s }.min]
      end

      def self.equally_long(before, after)
        length_s = [before, after].map { |began_s, ended_s| ended_s - began_s }.min
        [[before.last - length_s, before.last], [after.first, after.first + length_s]]
      end
      private_class_method :equally_long, :others
    end
  end
end
