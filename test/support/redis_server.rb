# frozen_string_literal: true

require "fileutils"
require "socket"
require "tmpdir"
require_relative "wait_until"

# A real Redis of a test's own: a free port, nothing kept, its folder gone afterwards.
#
#   RedisServer.run { |redis| spawn({"REDIS_URL" => redis.url}, ...) }
class RedisServer
  PROGRAM = "redis-server"
  TRIES = 5
  PATIENCE_S = WaitUntil::PATIENCE_S

  # Another process took the port between our look and the server's.
  PortTaken = Class.new(StandardError)

  class << self
    # @return [Boolean] whether the program is on this machine
    def installed?
      ENV.fetch("PATH").split(":").any? { |dir| File.executable?(File.join(dir, PROGRAM)) }
    end

    # @yieldparam redis [RedisServer] while it runs
    # @return [Object] the block's value
    def run
      redis = start
      yield redis
    ensure
      redis&.stop
    end

    # @return [RedisServer] which answers; the caller stops it
    def start
      TRIES.times do
        return new.start
      rescue PortTaken
        next
      end
      raise "no free port for #{PROGRAM} in #{TRIES} tries"
    end
  end

  attr_reader :port, :pid

  def initialize
    raise "no #{PROGRAM} here: bin/setup --services installs it" unless self.class.installed?
    @port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
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

  # @return [void]
  def stop
    Process.kill(:TERM, @pid)
    Process.wait(@pid)
  rescue Errno::ESRCH, Errno::ECHILD
    nil
  ensure
    FileUtils.rm_rf(@folder)
  end

  private

  def answer(words)
    TCPSocket.open("127.0.0.1", @port) do |socket|
      socket.write("*#{words.size}\r\n", *words.map { |word| "$#{word.to_s.bytesize}\r\n#{word}\r\n" })
      yield socket
    end
  end

  def log_path = File.join(@folder, "log")

  def wait_until_it_answers
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE_S
    until answers?
      if Process.wait(@pid, Process::WNOHANG) || Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
        give_up
      end
      IO.select(nil, nil, nil, 0.02)
    end
  end

  def answers?
    call("PING") == "+PONG"
  rescue SystemCallError
    false
  end

  def give_up
    log = File.read(log_path)
    stop
    raise PortTaken if log.include?("Address already in use")
    raise "#{PROGRAM} does not answer:\n#{log}"
  end
end
