# frozen_string_literal: true

require "socket"

module Holdup
  class Web
    # The body of a page whose first part is sent, and painted, before the rest is read: the style sheets and
    # the menu, which depend on no data.
    class StreamedPage
      # @param first [String]
      # @param socket [IO, nil] that Puma writes to
      # @param close [#call] when it was sent, or when nobody wants it any more
      # @yieldreturn [String] the rest
      def initialize(first, close:, socket: nil, &rest)
        @first = first
        @socket = socket
        @close = close
        @rest = rest
      end

      # @yieldparam part [String]
      def each
        return to_enum unless block_given?
        yield @first
        send_now
        yield Web.yielding(&@rest)
      end

      # Servers call it once, also where the reader has gone.
      def close
        @close.call
      end

      private

      # While Puma writes a body, Linux keeps what fills no packet back for up to 200 ms (TCP_CORK). A packet
      # of the loopback interface has 64 kB: there it would be all of the first part.
      def send_now
        tcp = @socket&.to_io
        return unless tcp.is_a?(TCPSocket) && Socket.const_defined?(:TCP_CORK)
        tcp.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_CORK, 0)
      rescue IOError, SystemCallError
        nil # The reader has gone: Puma notices when it writes the rest.
      end
    end
  end
end
