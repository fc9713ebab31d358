# frozen_string_literal: true

require "socket"

# A server on a free loopback port that answers each connection with what its block returns for the request's
# head.
class SmallServer
  attr_reader :heads

  def initialize(&answer)
    @answer = answer
    @heads = Queue.new
    @server = TCPServer.new("127.0.0.1", 0)
    @acceptor = Thread.new { loop { serve(@server.accept) } }
  end

  def url
    "http://127.0.0.1:#{port}"
  end

  def port = @server.addr[1]

  def close
    @acceptor.kill.join
    @server.close
  end

  def self.ok(body = "hello")
    "HTTP/1.1 200 OK\r\nContent-Length: #{body.bytesize}\r\n\r\n#{body}"
  end

  private

  def serve(client)
    Thread.new do
      head = client.gets("\r\n\r\n")
      @heads << head
      client.write(@answer.call(head))
    ensure
      client.close
    end
  end
end
