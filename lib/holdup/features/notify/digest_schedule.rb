# frozen_string_literal: true

module Holdup
  module Notify
    # When the digest of the week is sent: once a fleet, at a minute of the week by the collector's clock.
    # `minute`: since Sunday 00:00
    DigestSchedule = Data.define(:minute) do
      # @param text [String] "monday 09:00"
      # @return [DigestSchedule]
      def self.parse(text)
        day, clock = text.split
        hours, minutes = clock.split(":").map(&:to_i)
        new(minute: 1440 * self::DAYS.index(day) + 60 * hours + minutes)
      end

      # The source of a notice names the last one, as those of DueNotices do: of collectors that send one at
      # the same time the store keeps one.
      # @param told [Array<Notice>] by time
      # @param week [WeekFacts]
      # @return [Notice]
      def self.notice(told, week, by:)
        last = last(told)
        Notice.new(source: "digest #{last ? last.at_s : 0}", rule: "digest", state: :began,
          at_s: week.to_s, by:, facts: {from_s: week.from_s, to_s: week.to_s})
      end

      # @return [Notice, nil]
      def self.last(told) = told.reverse.find { |notice| notice.rule == "digest" }

      # @param told [Array<Notice>] by time
      # @param local [Time] now, by the collector's clock
      # @param tried_s [Integer, nil] when this host began to make one
      def due?(told, now_s:, local:, tried_s: nil)
        return false if late_minutes(local) >= self.class::LATEST_MINUTES
        return false if tried_s && now_s - tried_s < HOUR_S
        last = self.class.last(told)
        last.nil? || now_s - last.at_s >= self.class::APART_S
      end

      private

      def late_minutes(local)
        (1440 * local.wday + 60 * local.hour + local.min - minute) % (7 * 1440)
      end
    end

    DigestSchedule::DAYS = %w[sunday monday tuesday wednesday thursday friday saturday].freeze
    # No collector ran at the time, or it was in the quiet hours: so much later it is still sent.
    DigestSchedule::LATEST_MINUTES = 1440
    # Clocks of a fleet may be in different time zones.
    DigestSchedule::APART_S = 3 * DAY_S
  end
end
