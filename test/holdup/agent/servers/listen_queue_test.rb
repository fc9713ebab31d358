# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/preforking"
require "tmpdir"

class Holdup::Servers::ListenQueueTest < Minitest::Test
  def setup
    skip "only Linux tells" unless RUBY_PLATFORM.include?("linux")
    @servers = Array.new(2) { TCPServer.new("127.0.0.1", 0) }
    @clients = []
  end

  def teardown = [*@servers, *@clients].each(&:close)

  def connect(server)
    @clients << TCPSocket.new("127.0.0.1", server.addr[1])
  end

  def size(sockets = @servers)
    Holdup::Servers::ListenQueue.size(sockets)
  end

  def test_who_waits_and_who_does_not_any_more
    assert_equal 0, size
    3.times { connect(@servers[0]) }
    connect(@servers[1])
    wait_until { size == 4 }
    @clients << @servers[0].accept
    assert_equal 3, size
  end

  def test_what_does_not_tell
    Dir.mktmpdir do |root|
      @servers << UNIXServer.new(File.join(root, "socket"))
      assert_nil size(@servers.last(1))
      assert_equal 0, size
    end
    connect(@servers[0])
    assert_nil size(@clients)
  end

  def test_a_listener_that_was_closed
    @servers.first.close
    assert_equal 0, size
    assert_nil size(@servers.first(1))
    assert_nil size([])
  end
end
