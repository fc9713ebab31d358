# frozen_string_literal: true

require "tmpdir"
require_relative "server_process"

# A real Redis of a test's own: a free port, nothing kept, its folder gone afterwards.
#
#   RedisServer.run { |redis| spawn({"REDIS_URL" => redis.url}, ...) }
class RedisServer
  include ServerProcess

  PROGRAM = "redis-server"

  class << self
    # @return [Boolean] whether the program is on this machine
    def installed? = on_path?(PROGRAM)

    # @yieldparam redis [RedisServer] while it runs
    # @return [Object] the block's value
    def run
      redis = start
      yield redis
    ensure
      redis&.stop
    end
  end

  attr_reader :port, :pid

  def initialize
    raise_unless_installed
    @port = FreePorts.take
  end

  # @return [self]
  def start
    @folder = Dir.mktmpdir("holdup-redis")
    address = ["--port", @port.to_s, "--bind", "127.0.0.1"]
    options = [*address, "--save", "", "--appendonly", "no", "--dir", @folder]
    @pid = Process.spawn(PROGRAM, *options, in: File::NULL, out: log_path, err: %i[child out])
    wait_until_it_answers
    self
  end

  def url
    "redis://127.0.0.1:#{@port}/0"
  end

  # @param words [Array<String>] of one command
  # @return [String] the first line of the answer
  def call(*words)
    answer(words) { |socket| socket.gets.to_s.chomp }
  end

  # @return [String] a key's value, empty when there is none
  def get(key)
    answer(["GET", key]) do |socket|
      length = socket.gets.to_s.delete_prefix("$").to_i
      length.positive? ? socket.read(length) : ""
    end
  end

  private

  def answer(words)
    TCPSocket.open("127.0.0.1", @port) do |socket|
      socket.write("*#{words.size}\r\n", *words.map { |word| "$#{word.to_s.bytesize}\r\n#{word}\r\n" })
      yield socket
    end
  end

  def answers?
    call("PING") == "+PONG"
  rescue SystemCallError
    false
  end

  # Its folder stays in use until it has ended by itself.
  def stop_signal = :TERM
end
