# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "socket"

class Holdup::Export::MetricsServerTest < Minitest::Test
  SERVER = Holdup::Export::MetricsServer

  def setup
    @server = SERVER.new(bind: "127.0.0.1", port: 0)
    @server.text = "a 1\n"
  end

  def teardown
    @server.stop
  end

  def ask(text)
    @server.start
    TCPSocket.open("127.0.0.1", @server.port) do |socket|
      socket.write(text)
      socket.close_write
      socket.read
    end
  end

  def get(path = "/metrics", method: "GET", host: "localhost:1")
    ask("#{method} #{path} HTTP/1.1\r\nHost: #{host}\r\n\r\n")
  end

  def test_answers_with_the_text
    answer = get
    assert_match(/\AHTTP\/1.1 200 OK\r\n/, answer)
    assert_includes answer, "content-type: text/plain; version=0.0.4; charset=utf-8\r\ncontent-length: 4\r\n"
    assert answer.end_with?("\r\n\r\na 1\n")
  end

  def test_answers_with_the_latest_text
    get
    @server.text = "é 2\n"
    assert get("/metrics?x=1").end_with?("\r\n\r\né 2\n".b)
  end

  def test_serves_the_signal_for_autoscalers_while_it_is_fresh
    assert_match(/\AHTTP\/1.1 503 .*no signal: set config.scaling/m, get("/scale.json"))
    @server.scale = "{}"
    assert_match(/\AHTTP\/1.1 200 .*^content-type: application\/json.*\{\}\z/m, get("/scale.json"))
    @server.scale = nil
    assert_match(/\AHTTP\/1.1 503 /, get("/scale.json"))
  end

  def test_an_old_signal_is_not_served
    passed_s = 0
    now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    @server.define_singleton_method(:now) { now_s + passed_s }
    @server.scale = "{}"
    passed_s = 89
    assert_equal 200, @server.send(:scale).first
    passed_s = 91
    assert_equal 503, @server.send(:scale).first
  end

  def test_says_its_address
    assert_match(%r{\Ahttp://127\.0\.0\.1:\d+/metrics\z}, @server.start)
    assert_nil @server.start
  end

  def test_answers_nothing_else
    assert_match(/\AHTTP\/1.1 404 /, get("/"))
    assert_match(/\AHTTP\/1.1 405 .*^allow: GET\r$/m, get(method: "POST"))
    assert_match(/\AHTTP\/1.1 400 /, ask("hello\r\n\r\n"))
    assert_match(/\AHTTP\/1.1 400 /, ask("GET /metrics HTTP/1.1\r\n" + "x: y\r\n" * 2_000))
    @server.text = nil
    assert_match(/\AHTTP\/1.1 503 /, get)
  end

  def test_foreign_names_of_a_loopback_address_are_refused
    assert_match(/\AHTTP\/1.1 403 /, get(host: "evil.example:9395"))
    %w[127.0.0.1:1 LOCALHOST [::1]:1].each { |host| assert_match(/\AHTTP\/1.1 200 /, get(host:), host) }
  end

  def test_hanging_and_slow_clients_are_ended
    @server = SERVER.new(bind: "127.0.0.1", port: 0, deadline_s: 0.2)
    @server.text = "x" * 50_000_000
    @server.start
    hanging = Array.new(SERVER::CONNECTIONS) { TCPSocket.new("127.0.0.1", @server.port) }
    hanging.last.write("GET /metrics HTTP/1.1\r\n\r\n") # and never reads
    hanging.first.write("GET /met")
    @server.text = "a 1\n"
    assert get.end_with?("a 1\n")
    assert_ended hanging.first
  ensure
    hanging&.each(&:close)
  end

  # A server that closes before it has read all that came resets the connection.
  def assert_ended(socket)
    assert_empty socket.read
  rescue Errno::ECONNRESET
    pass
  end

  def test_no_more_connections_are_taken_than_threads_answer
    @server.start
    hanging = Array.new(SERVER::CONNECTIONS + 3) { TCPSocket.new("127.0.0.1", @server.port) }
    assert_equal SERVER::CONNECTIONS, Thread.list.count { |thread| thread.name == "holdup-metrics" }
  ensure
    hanging&.each(&:close)
  end

  def test_stops_listening_and_starts_again
    @server.start
    port = @server.port
    @server.stop
    assert_nil @server.port
    assert_raises(Errno::ECONNREFUSED) { TCPSocket.new("127.0.0.1", port).close }
    assert get.end_with?("a 1\n")
  end

  def test_stops_although_a_forked_child_has_the_socket
    @server.start
    port = @server.port
    input, output = IO.pipe
    child = fork do
      output.close
      input.read
      exit!(0)
    end
    input.close
    @server.stop
    assert_raises(Errno::ECONNREFUSED) { TCPSocket.new("127.0.0.1", port).close }
  ensure
    output.close
    Process.wait(child)
  end
end
