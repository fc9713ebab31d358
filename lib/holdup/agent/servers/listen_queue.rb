# frozen_string_literal: true

require "socket"

module Holdup
  module Servers
    # How many connections wait for a process to accept them, as the kernel counts them: for a listening TCP
    # socket Linux tells it in TCP_INFO (`tcpi_unacked`), one system call that takes nothing from anybody.
    # Other systems and UNIX sockets don't tell.
    module ListenQueue
      LISTENING = 10
      UNACKED_AT = 24

      # @param sockets [Array<BasicSocket>]
      # @return [Integer, nil] all together; nil when none tells
      def self.size(sockets)
        known = sockets.filter_map { |socket| waiting(socket) }
        known.sum unless known.empty?
      end

      # A worker closes its listeners when it ends, perhaps just now.
      def self.waiting(socket)
        return unless defined?(Socket::TCP_INFO) && socket.is_a?(TCPServer)
        info = socket.getsockopt(Socket::IPPROTO_TCP, Socket::TCP_INFO).data
        info.unpack1("L", offset: UNACKED_AT) if info.getbyte(0) == LISTENING
      rescue IOError, SystemCallError
        nil
      end
      private_class_method :waiting
    end
  end
end
