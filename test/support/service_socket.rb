# frozen_string_literal: true

require "socket"

# The end of NOTIFY_SOCKET that systemd would read.
class ServiceSocket
  # @param path [String] of a file; an abstract one begins with a NUL
  def initialize(path)
    @path = path
    @socket = Socket.new(:UNIX, :DGRAM)
    @socket.bind(Addrinfo.unix(path, :DGRAM))
  end

  # @return [Array<String>] messages since the last call
  def received
    messages = []
    while (message = @socket.recv_nonblock(65_536, exception: false)) != :wait_readable
      messages << message.force_encoding(Encoding::UTF_8)
    end
    messages
  end

  def close
    return if @socket.closed?
    @socket.close
    File.unlink(@path) unless @path.start_with?("\0")
  end
end
