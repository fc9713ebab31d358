# frozen_string_literal: true

module Holdup
  class Collector
    # Logs a problem once and then seldom, because it comes back at every tick.
    class RateLimitedLog
      EVERY_NS = 60 * 1_000_000_000

      def initialize(log:, clock:)
        @log = log
        @clock = clock
        @logged = {}
      end

      # At most once a minute for a subject, but at once when the message changes.
      def again(subject, message)
        last, at = @logged[subject]
        return if last == message && @clock.monotonic_ns - at < EVERY_NS
        say(subject, message)
      end

      # At most once a minute for a subject, whatever the message.
      def seldom(subject, message)
        _, at = @logged[subject]
        say(subject, message) unless at && @clock.monotonic_ns - at < EVERY_NS
      end

      # Once, until the subject is forgotten.
      def once(subject, message)
        @logged.key?(subject) || say(subject, message)
      end

      # Whether the subject was logged, so that it works again now.
      def forget(subject) = !@logged.delete(subject).nil?

      def forget_if
        @logged.delete_if { |subject, _| yield subject }
      end

      private

      def say(subject, message)
        @logged[subject] = [message, @clock.monotonic_ns]
        @log.warn(message.gsub(/\s+/, " "))
      end
    end
  end
end
