# frozen_string_literal: true

module Holdup
  module View
    # What connections the waits of a report were for, in words: of a database, or of pools of the gem
    # connection_pool (Redis, HTTP), whose class is named where it is one.
    class AwaitedConnection
      # @param summary [Analysis::Summary] with the part :samples; else they are of a database
      def initialize(summary, words:)
        @awaited = summary.connections.awaited
        @words = words
      end

      # @return [String] "a database connection", "a connection (RedisClient)", "a connection"
      def one = phrase("one")

      # @return [String] the same of several
      def many = phrase("many")

      # @return [String] the same as a title
      def title = phrase("title")

      private

      def phrase(form)
        return @words.call(:"awaited_#{form}_database") if @awaited == :database
        name = Width.clean(@awaited) unless @awaited == :any
        @words.call(:"awaited_#{form}", name:)
      end
    end
  end
end
