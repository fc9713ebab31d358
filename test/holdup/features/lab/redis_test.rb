# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::RedisTest < Minitest::Test
  include TemporaryFolder

  def run_redis(&)
    Holdup::Lab::Redis.run(path: ENV.fetch("PATH"), &)
  end

  def answer(url, command, lines = 1)
    TCPSocket.open("127.0.0.1", Integer(url[/:(\d+)\//, 1])) do |socket|
      socket.write("#{command}\r\n")
      Array.new(lines) { socket.gets }.last
    end
  end

  def test_answers_while_the_block_runs_and_leaves_nothing
    url, data = run_redis { |where| [where, answer(where, "CONFIG GET dir", 5).chomp] }
    assert_includes data, "holdup-redis-"
    refute_path_exists data
    assert_raises(Errno::ECONNREFUSED) { answer(url, "PING") }
  end

  def test_ends_when_the_block_is_interrupted
    url = nil
    assert_raises(Interrupt) do
      run_redis do |where|
        url = where
        raise Interrupt
      end
    end
    assert_raises(Errno::ECONNREFUSED) { answer(url, "PING") }
  end

  def test_says_how_to_get_one
    error = assert_raises(Holdup::UnsupportedError) { Holdup::Lab::Redis.run(path: folder) { flunk } }
    remedy = /install it \(`apt-get install redis-server`.*`bin\/setup --services`.*--redis-url redis:/
    assert_match(/redis-server is not installed on this machine; #{remedy}/, error.message)
  end

  def test_one_that_does_not_start_says_why
    program = File.join(folder, "redis-server")
    File.write(program, "#!/bin/sh\necho out of order\n", perm: 0o755)
    error = assert_raises(Holdup::Error) { Holdup::Lab::Redis.run(path: folder) { flunk } }
    assert_match(/does not answer \(out of order\)/, error.message)
  end

  def test_tries_another_port_when_one_is_taken
    program = File.join(folder, "redis-server")
    File.write(program, "#!/bin/sh\necho try >>#{folder}/tries\necho Address already in use\n", perm: 0o755)
    error = assert_raises(Holdup::Error) { Holdup::Lab::Redis.run(path: folder) { flunk } }
    assert_match(/no port of 127.0.0.1 stayed free/, error.message)
    assert_equal Holdup::Lab::Redis::TRIES, File.readlines(File.join(folder, "tries")).size
  end
end
