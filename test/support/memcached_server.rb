# frozen_string_literal: true

require "tmpdir"
require_relative "server_process"

# A real Memcached of a test's own: a free port, gone afterwards.
#
#   MemcachedServer.run { |memcached| spawn({"MEMCACHED" => memcached.address}, ...) }
class MemcachedServer
  include ServerProcess

  PROGRAM = "memcached"

  class << self
    # @return [Boolean] whether the program is on this machine
    def installed? = on_path?(PROGRAM)

    # @yieldparam memcached [MemcachedServer] while it runs
    # @return [Object] the block's value
    def run
      memcached = start
      yield memcached
    ensure
      memcached&.stop
    end
  end

  def initialize
    raise_unless_installed
    @port = FreePorts.take
  end

  # @return [self]
  def start
    @folder = Dir.mktmpdir("holdup-memcached")
    # Only root has to say as whom it runs.
    user = Process.uid.zero? ? ["-u", "root"] : []
    @pid = Process.spawn(PROGRAM, "-l", HOST, "-p", @port.to_s, *user,
      in: File::NULL, out: log_path, err: %i[child out])
    wait_until_it_answers
    self
  end

  def address = "#{HOST}:#{@port}"

  private

  def answers?
    TCPSocket.open(HOST, @port) do |socket|
      socket.write("version\r\n")
      socket.gets.to_s.start_with?("VERSION")
    end
  rescue SystemCallError
    false
  end

  def stop_signal = :TERM
end
