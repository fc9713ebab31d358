# frozen_string_literal: true

module Holdup
  class Collector
    # Logs a problem once and then seldom, because it comes back at every tick.
    class RateLimitedLog
      EVERY_NS = 60 * 1_000_000_000

      def initialize(log:, clock:)
        @log = log
        @clock = clock
        # Subject => {message, or what is the same in several => when}, of the last minute.
        @logged = {}
      end

      # Logs a changed message at once, but each at most once a minute, because two may alternate.
      # @param same [Object] what two messages have in common that are the same to a reader
      def again(subject, message, same: message)
        say(subject, message, same:) unless lately?(@logged.dig(subject, same))
      end

      # Logs at most once a minute for a subject, whatever the message.
      def seldom(subject, message)
        say(subject, message) unless lately?(@logged[subject]&.values&.max)
      end

      # Logs once, until the subject is forgotten.
      def once(subject, message)
        @logged.key?(subject) || say(subject, message)
      end

      # Whether the subject was logged, so that it works again now.
      def forget(subject) = !@logged.delete(subject).nil?

      def forget_if
        @logged.delete_if { |subject, _| yield subject }
      end

      private

      def lately?(at) = !at.nil? && @clock.monotonic_ns - at < EVERY_NS

      def say(subject, message, same: message)
        times = @logged[subject] ||= {}
        times.select! { |_, at| lately?(at) }
        times[same] = @clock.monotonic_ns
        @log.warn(message.gsub(/\s+/, " "))
      end
    end
  end
end
