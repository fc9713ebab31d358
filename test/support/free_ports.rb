# frozen_string_literal: true

require "socket"
require "tmpdir"

# Ports of 127.0.0.1 for servers that take a number. The kernel's own choice (port 0) would be free again as
# soon as it is known, and in the seconds that a server takes to boot it may give the same to another test's.
# These lie below its choices, and each belongs to this process until it ends.
module FreePorts
  HOST = "127.0.0.1"
  RANGE = 10_000..32_000

  class << self
    # @return [Integer]
    def take
      RANGE.size.times do
        port = rand(RANGE)
        return port if lease(port) && unused?(port)
      end
      raise "no free port in #{RANGE}"
    end

    private

    # @return [Boolean] whether no other process has it, nor this one had it before
    def lease(port)
      leases = @leases ||= {}
      return false if leases[port]
      file = File.open(File.join(folder, port.to_s), File::RDWR | File::CREAT, 0o600)
      return file.close if file.flock(File::LOCK_EX | File::LOCK_NB) == false
      leases[port] = file
      true
    end

    def folder
      path = File.join(Dir.tmpdir, "holdup-ports-#{Process.uid}")
      Dir.mkdir(path, 0o700) unless Dir.exist?(path)
      path
    rescue Errno::EEXIST # another test has just made it
      path
    end

    def unused?(port)
      TCPServer.new(HOST, port).close
      true
    rescue Errno::EADDRINUSE, Errno::EACCES
      false
    end
  end
end
