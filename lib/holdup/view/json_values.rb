# frozen_string_literal: true

module Holdup
  module View
    # What all JSON of ours has in common.
    module JsonValues
      NS = 1_000_000_000

      private

      # @param seconds [Integer, nil] since 1970
      # @return [String, nil] "2026-11-21T12:00:00Z"
      def time(seconds)
        seconds && Time.at(seconds, in: "UTC").strftime("%FT%TZ")
      end

      # @param ns [Integer, nil] since 1970
      # @return [String, nil] the same
      def time_of_ns(ns)
        ns && time(ns / NS)
      end

      # @param one [Analysis::SettingDifferences::SettingDifference]
      # @return [Hash{Symbol => Object}]
      def difference(one)
        {subject: one.subject, facts: one.facts.transform_values { |before, after| {before:, after:} }}
      end

      # @return [String, nil] without what a terminal would obey
      def clean(text)
        text && Width.clean(text)
      end
    end
  end
end
