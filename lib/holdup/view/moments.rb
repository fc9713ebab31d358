# frozen_string_literal: true

module Holdup
  module View
    # Moments in sentences, with their zone: readers elsewhere know when it was, and a page can convert them
    # to its viewer's zone.
    module Moments
      MOMENT = /\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?/
      # One or two moments in a text, and the zone of both.
      PATTERN = /(#{MOMENT})(?: - (#{MOMENT}))? (UTC|[+-]\d\d:\d\d)/

      module_function

      # @param second [Integer] since 1970
      # @return [String] "2026-11-21 12:00 +09:00"
      def at(second, format = "%F %H:%M")
        Time.at(second).strftime("#{format} %:z")
      end

      # @param from_s [Integer] seconds since 1970, as to_s
      # @return [String] "2026-11-21 12:00 - 2026-11-21 13:00 +09:00"
      def span(from_s, to_s)
        to = Time.at(to_s)
        [Time.at(from_s, in: to.utc_offset),
          to].map { |time| time.strftime("%F %H:%M") }.join(" - ") + to.strftime(" %:z")
      end

      # @param moment [String] as MOMENT matches it
      # @return [Time, nil] nil for an invalid date
      def read(moment, zone)
        Time.new("#{moment}#{":00" if moment.count(":") == 1} #{zone}")
      rescue ArgumentError
        nil
      end
    end
  end
end
