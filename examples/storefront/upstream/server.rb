# frozen_string_literal: true

require "socket"

# The processes next door, in one: an HTTP service that answers after the delay it is asked for
# (`?delay_ms=45`), and the database's peer, which answers each byte with a byte after a round trip's time. A
# process of its own, so that none of its work takes the GVL of the application under test.
#
#   ruby upstream/server.rb [http_port] [database_port]     0 or nothing = any free port; prints both
#   addresses. UPSTREAM_BIND says where to listen, 127.0.0.1 as a rule
class Upstream
  ROUND_TRIP_SECONDS = 0.0003
  DELAY = /delay_ms=(\d{1,5})/

  def initialize(http_port: 0, database_port: 0, bind: "127.0.0.1", out: $stdout)
    @http = TCPServer.new(bind, http_port)
    @database = TCPServer.new(bind, database_port)
    @out = out
  end

  def run
    @out.puts("http://127.0.0.1:#{@http.addr[1]} tcp://127.0.0.1:#{@database.addr[1]}")
    @out.flush
    [
      accepting(@http) { |client| answer_http(client) },
      accepting(@database) { |client| answer_bytes(client) }
    ].each(&:join)
  end

  private

  def accepting(server)
    Thread.new { loop { serve(server.accept) { |client| yield client } } }
  end

  def serve(client)
    client.setsockopt(:TCP, :NODELAY, true)
    Thread.new do
      yield client
    rescue SystemCallError, EOFError
      nil # the application hung up, as it may
    ensure
      client.close
    end
  end

  def answer_http(client)
    request = client.readline
    nil until [nil, "\r\n"].include?(client.gets)
    sleep(request[DELAY, 1].to_i / 1000.0)
    body = %({"id":#{request[/\d+/].to_i},"price_cents":4200})
    client.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: " \
      "#{body.bytesize}\r\nconnection: close\r\n\r\n#{body}")
  end

  def answer_bytes(client)
    while client.readpartial(1)
      sleep(ROUND_TRIP_SECONDS)
      client.write("!")
    end
  end
end

Signal.trap("TERM") { exit!(0) }
Signal.trap("INT") { exit!(0) }
bind = ENV.fetch("UPSTREAM_BIND", "127.0.0.1")
Upstream.new(http_port: ARGV[0].to_i, database_port: ARGV[1].to_i, bind:).run
