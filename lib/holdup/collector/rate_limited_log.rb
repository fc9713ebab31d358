# frozen_string_literal: true

module Holdup
  class Collector
    # Says what is wrong, once and then seldom: what goes wrong here goes wrong again at every tick.
    class RateLimitedLog
      EVERY_NS = 60 * 1_000_000_000

      # @param log [#warn]
      # @param clock [Clock]
      def initialize(log:, clock:)
        @log = log
        @clock = clock
        @said = {}
      end

      # At most once a minute for the same subject, at once when the message changes.
      # @param subject [Object] what it is about
      # @param message [String] one sentence
      # @return [void]
      def again(subject, message)
        last, at = @said[subject]
        return if last == message && @clock.monotonic_ns - at < EVERY_NS
        say(subject, message)
      end

      # At most once a minute for the same subject, whatever the message.
      # @return [void]
      def seldom(subject, message)
        _, at = @said[subject]
        say(subject, message) unless at && @clock.monotonic_ns - at < EVERY_NS
      end

      # Once, until the subject is forgotten.
      # @return [void]
      def once(subject, message)
        @said.key?(subject) || say(subject, message)
      end

      # @return [Boolean] whether there was something to forget: then it is well again
      def forget(subject) = !@said.delete(subject).nil?

      # @yieldparam subject [Object]
      # @return [void]
      def forget_if
        @said.delete_if { |subject, _| yield subject }
      end

      private

      def say(subject, message)
        @said[subject] = [message, @clock.monotonic_ns]
        @log.warn(message.gsub(/\s+/, " "))
      end
    end
  end
end
