# frozen_string_literal: true

require "test_helper"
require "net/http"
require "holdup/loader"

class Holdup::Web::Command::ServerTest < Minitest::Test
  def test_a_page_that_takes_long_does_not_keep_it_from_stopping
    _, said = capture_io { stop_while_asked }
    assert_match(/ForceShutdown/, said)
  end

  def stop_while_asked
    asked, address = Array.new(2) { Queue.new }
    server = Holdup::Web::Command::Server.new(->(_env) {
      asked.push(true) && sleep
    }, host: "127.0.0.1", port: 0)
    serving = Thread.new { server.run { |where| address << where } }
    serving.report_on_exception = false
    client = Thread.new { Net::HTTP.get(URI(address.pop)) }
    client.report_on_exception = false
    asked.pop
    serving.raise(Interrupt)
    wait_until { !serving.alive? }
  ensure
    client&.kill
  end
end
