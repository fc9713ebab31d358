# frozen_string_literal: true

require "test_helper"
require_relative "small_server"
require "holdup/loader"

class Holdup::Lab::ExchangeTest < Minitest::Test
  def teardown = @server&.close

  def exchange(url, **route)
    route = Holdup::Lab::Route.new(label: "a", path: "/a?b=1", **route)
    arrival = Holdup::Lab::Load::Arrivals::Arrival.new(at_ns: 0, route:, path: route.path)
    Holdup::Lab::Exchange.new(arrival, Holdup::Lab::Load::Target.new(url), due_us: 1_700_000_000_123_456)
  end

  def finish(exchange)
    wait_until do
      exchange.advance
      exchange.done?
    end
  end

  def test_sends_a_whole_request_and_takes_the_answer
    @server = SmallServer.new { SmallServer.ok }
    exchange = exchange(@server.url)
    finish(exchange)
    assert_equal 200, exchange.status
    head = @server.heads.pop
    assert_match %r{\AGET /a\?b=1 HTTP/1.1\r\n}, head
    assert_match(/^host: 127.0.0.1:#{@server.port}\r$/, head)
    assert_match(/^x-request-start: t=1700000000123456\r$/, head)
  end

  def test_a_post_announces_that_it_has_no_body
    @server = SmallServer.new { SmallServer.ok }
    finish(exchange(@server.url, verb: "POST"))
    assert_match(/\APOST .*^content-length: 0\r$/m, @server.heads.pop)
  end

  def test_takes_an_answer_larger_than_one_read
    @server = SmallServer.new { SmallServer.ok("x" * 1_000_000) }
    exchange = exchange(@server.url)
    finish(exchange)
    assert_equal 200, exchange.status
  end

  def test_a_server_that_hangs_up_is_a_result_without_status
    @server = SmallServer.new { "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf" }
    exchange = exchange(@server.url)
    finish(exchange)
    assert_nil exchange.status
  end

  def test_a_refused_connection_is_a_result_without_status
    @server = SmallServer.new { SmallServer.ok }
    url = @server.url
    @server.close
    @server = nil
    exchange = exchange(url)
    finish(exchange)
    assert_nil exchange.status
  end
end
