# frozen_string_literal: true

module Holdup
  class Collector
    # Logs what is wrong, once and then seldom: what goes wrong here goes wrong again at every tick.
    class RateLimitedLog
      EVERY_NS = 60 * 1_000_000_000

      def initialize(log:, clock:)
        @log = log
        @clock = clock
        @logged = {}
      end

      # At most once a minute for the same subject, at once when the message changes.
      # @param subject [Object] what it is about
      # @param message [String] one sentence
      def again(subject, message)
        last, at = @logged[subject]
        return if last == message && @clock.monotonic_ns - at < EVERY_NS
        say(subject, message)
      end

      # At most once a minute for the same subject, whatever the message.
      def seldom(subject, message)
        _, at = @logged[subject]
        say(subject, message) unless at && @clock.monotonic_ns - at < EVERY_NS
      end

      # Once, until the subject is forgotten.
      def once(subject, message)
        @logged.key?(subject) || say(subject, message)
      end

      # @return [Boolean] whether there was something to forget: then it works again
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
