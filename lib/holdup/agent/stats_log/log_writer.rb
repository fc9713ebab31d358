# frozen_string_literal: true

module Holdup
  class StatsLog
    # Gives lines to a sink. What it does not take at once is dropped and counted; what is wrong with it is
    # said once.
    class LogWriter
      # @return [Integer] lines that were not written
      attr_reader :dropped

      # @param sink [#call] true when it has taken the line
      # @param log [#warn]
      def initialize(sink:, log:)
        @sink = sink
        @log = log
        @dropped = 0
      end

      # @param line [String]
      # @return [void]
      def call(line)
        @dropped += 1 unless @sink.call(line)
      rescue SystemCallError, IOError => error
        @dropped += 1
        say(error)
      end

      private

      def say(error)
        unless @said
          @log.warn("stats_log can't be written, its lines are dropped until it can: #{error.message}")
        end
        @said = true
      end
    end
  end
end
