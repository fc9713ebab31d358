# frozen_string_literal: true

require "test_helper"
require "fuzz/fuzzing"
require "holdup/loader"

# What anyone may send to the collector's port: each request gets a whole answer of ours, in which nothing of
# the request is, and the next client gets the figures.
class MetricsServerFuzzTest < Minitest::Test
  include Fuzzing

  FIGURES = "ruby_processes 1\n"
  PATHS = %w[/metrics /scale.json /metrics?x=1 / //metrics /metrics/ /metrics%00 http://a/metrics *].freeze
  STATUSES = [200, 400, 403, 404, 405, 503].freeze
  MARK = "fuzzed"

  def setup
    @server = Holdup::Export::MetricsServer.new(bind: "127.0.0.1", port: 0)
    @server.text = FIGURES
    @server.start
  end

  def teardown
    @server.stop
  end

  repeated def test_any_request_gets_an_answer_of_ours
    outcomes = fuzz(150, thorough: 10_000) do |input|
      status, body = answer(request(input))
      assert_includes [nil, *STATUSES], status
      refute_includes body, MARK
      assert_equal [200, FIGURES], answer("GET /metrics HTTP/1.1\r\n\r\n") if input.chance?(0.05)
      status || :ended
    end
    [200, 400, 403, 404, 405].each { |status| assert_operator outcomes[status], :>, 0, status }
  end

  private

  # @return [(Integer, String)] status and body; (nil, "") when the server ended a request that was too long
  def answer(bytes)
    TCPSocket.open("127.0.0.1", @server.port) do |client|
      client.write(bytes)
      client.close_write
      head, body = client.read.split("\r\n\r\n", 2)
      assert_equal head[/^content-length: (\d+)\r$/, 1].to_i, body.bytesize
      [head[/\AHTTP\/1\.1 (\d+) [\w ]+\r$/, 1].to_i, body]
    end
  rescue Errno::ECONNRESET, Errno::EPIPE
    [nil, ""]
  end

  def request(input)
    return input.text.b + MARK if input.chance?(0.1)
    headers = Array.new(input.random.rand(4)) { header(input) }
    bytes = [first_line(input), *headers, "", input.chance?(0.2) ? input.text.b : ""].join("\r\n")
    bytes << "a" * input.random.rand(20_000) if input.chance?(0.05)
    input.chance?(0.1) ? bytes.byteslice(0, input.random.rand(bytes.bytesize + 1)) : bytes
  end

  def first_line(input)
    method = input.chance?(0.8) ? "GET" : input.one_of(["POST", "OPTIONS", "get", input.text.b])
    path = input.chance?(0.7) ? input.one_of(PATHS) : "/#{MARK}".b + input.text.b
    version = input.chance?(0.9) ? "HTTP/1.1" : input.one_of(["HTTP/2.0", "HTTP/1.0", input.text.b])
    "#{method} #{path} #{version}".b
  end

  def header(input)
    name = input.one_of(["Host", "host", "Content-Length", "Transfer-Encoding", input.text.b])
    value = input.one_of(["localhost", "127.0.0.1:9", "[::1]", "evil.example", "chunked", input.text.b])
    "#{name}: #{value}".b
  end
end
