# frozen_string_literal: true

module Holdup
  module Lab
    # What came back until the server closed the connection.
    class Response
      # @param bytes [String] binary
      def initialize(bytes)
        @head, @body = bytes.split("\r\n\r\n", 2)
      end

      # @return [Integer, nil] the status; nil when the answer is none, or was cut off
      def status
        whole? ? @head[%r{\AHTTP/1\.[01] (\d{3})}, 1]&.to_i : nil
      end

      private

      # A connection that closes early looks like one that is done: only the announced length tells them
      # apart.
      def whole?
        return false unless @body
        return @body.end_with?("0\r\n\r\n") if @head.match?(/^transfer-encoding: *chunked/i)
        length = @head[/^content-length: *(\d+)/i, 1]
        length.nil? || @body.bytesize == length.to_i
      end
    end
  end
end
