# frozen_string_literal: true

require "fileutils"
require "socket"
require "tmpdir"

# Ports of 127.0.0.1 for servers that take a number. The kernel's own choice (port 0) would be free again as
# soon as it is known, and in the seconds that a server takes to boot it may give the same to another test's.
# These lie below its choices, and each belongs to this process until it ends.
module FreePorts
  HOST = "127.0.0.1"
  RANGE = 10_000..32_000
  # By port, open files whose locks say that it is taken.
  LEASES = {}

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
      return false if LEASES[port]
      folder = File.join(Dir.tmpdir, "holdup-ports-#{Process.uid}")
      FileUtils.mkdir_p(folder, mode: 0o700)
      file = File.open(File.join(folder, port.to_s), File::RDWR | File::CREAT, 0o600)
      if file.flock(File::LOCK_EX | File::LOCK_NB)
        LEASES[port] = file
        true
      else
        file.close
        false
      end
    end

    def unused?(port)
      TCPServer.new(HOST, port).close
      true
    rescue Errno::EADDRINUSE, Errno::EACCES
      false
    end
  end
end
