# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers"
require "holdup/agent/servers/preforking"

class Holdup::Servers::PreforkingTest < Minitest::Test
  RequestCounter = Holdup::Servers::Preforking::RequestCounter

  # Unicorn's HttpServer, without a socket.
  def server
    @server ||= Class.new do
      def process_client(client)
        raise IOError, "gone" if client == :gone
        yield
        :answered
      end
    end
  end

  def counter = @counter ||= RequestCounter.new

  def hooked
    guard = Holdup::Guard.new(log: @log = CollectedLog.new, clock: Holdup::Clock.new)
    counter.hook(server, :unicorn, guard)
    server.new
  end

  def test_a_worker_is_busy_while_it_serves
    counter.begin
    seen = nil
    assert_equal :answered, hooked.process_client(:client) { seen = counter.busy }
    assert_equal 1, seen
    assert_equal [0, 1], [counter.busy, counter.served]
  end

  def test_a_request_that_fails_is_served_too
    counter.begin
    one = hooked
    assert_raises(IOError) { one.process_client(:gone) }
    assert_equal [0, 1], [counter.busy, counter.served]
  end

  # Before a worker is ready nothing is known of it.
  def test_nothing_is_counted_before_the_worker_is_ready
    assert_nil counter.busy
    hooked.process_client(:client) { nil }
    assert_nil counter.served
  end
end
