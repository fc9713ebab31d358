# frozen_string_literal: true

require "test_helper"
require "puma"
require "puma/server"
require "holdup/agent/servers/puma"

# With Puma's own server and pool.
class Holdup::Servers::Puma::LiveThreadsTest < Minitest::Test
  include WaitUntil

  def setup
    skip "this Puma can't change its threads" unless Puma::Server.method_defined?(:update_thread_pool_min_max)
    @free = Queue.new
    @entered = Queue.new
  end

  def teardown
    @free&.close
    @clients&.each(&:close)
    @server&.stop(true)
  end

  # @param min [Integer] threads at boot
  def live(min, max)
    app = lambda do |_env|
      @entered << true
      @free.pop
      [200, {}, ["ok"]]
    end
    log = Puma::LogWriter.strings
    @server = Puma::Server.new(app, nil, {min_threads: min, max_threads: max, log_writer: log})
    @port = @server.add_tcp_listener("127.0.0.1", 0).addr[1]
    @server.run
    @pool = @server.instance_variable_get(:@thread_pool)
    @live = Holdup::Servers::Puma::LiveThreads.new(@server, pool: -> { @pool })
  end

  def requests(count)
    @clients = Array.new(count) do
      TCPSocket.open("127.0.0.1", @port).tap { |io| io.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n") }
    end
  end

  # Rails' template has both limits equal, and then Puma never ends a thread by itself.
  def test_threads_that_are_too_many_end
    [[5, 5], [1, 5]].each do |min, max|
      live(min, max)
      requests(5)
      5.times { @entered.pop }
      5.times { @free << true }
      @live.set(2)
      wait_until { @live.settled? }
      assert_equal [2, 2], [@server.running, @server.max_threads]
      assert_equal [min, 2].min, @server.min_threads
      teardown
      setup
    end
  end

  def test_no_thread_ends_while_requests_wait
    live(3, 3)
    requests(6)
    3.times { @entered.pop }
    refute @live.set(1)
    wait_until { @server.backlog == 3 }
    2.times do
      @free << true
      @entered.pop
      refute @live.settled?
      assert_equal 3, @server.running
    end
    4.times { @free << true }
    wait_until { @live.settled? }
    assert_equal 1, @server.running
  end

  # Threads that will end still must not leave a pool below its new target.
  def test_a_pool_that_grows_again_has_all_its_threads
    live(4, 4)
    requests(9)
    4.times { @entered.pop }
    @live.set(1)
    @live.set(4)
    refute @live.settled?, "threads were output to end, and have not yet"
    9.times { @free << true }
    5.times { @entered.pop }
    wait_until { @live.settled? }
    @clients.each(&:close)
    requests(4)
    4.times { @entered.pop }
    assert_equal 4, @server.running
  end

  def test_more_threads_than_at_boot_and_back
    live(0, 1)
    assert @live.set(3)
    requests(3)
    3.times { @entered.pop }
    assert_equal 3, @server.running
    3.times { @free << true }
    @live.restore
    wait_until { @live.settled? }
    assert_equal [1, 1], [@server.running, @server.max_threads]
    assert_equal 0, @server.min_threads
  end
end
