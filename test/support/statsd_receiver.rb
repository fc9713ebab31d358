# frozen_string_literal: true

require "socket"

# A server for StatsD and DogStatsD on UDP (a port of loopback) or a Unix socket, which reads each datagram as
# the protocol has it.
class StatsdReceiver
  LINE = /\A(?<name>[^:|]+):(?<values>-?[\d.]+(?:e-?\d+)?(?::[\d.]+(?:e-?\d+)?)*)\|(?<type>c|g|d|ms|h)
    (?:\|@(?<rate>[\d.]+(?:e-?\d+)?))?
    (?:\|\#(?<tags>[^|]*))?
    (?:\|c:(?<container>[^|]*))?(?:\|e:[^|]*)?(?:\|card:\w+)?\z/x

  # `count`: for how many values it stands, as Datadog's agent computes it
  Message = Data.define(:name, :value, :type, :count, :tags, :container)

  # Datagrams as they came, and lines that are none of the protocol's.
  attr_reader :datagrams, :unreadable

  # @param path [String, nil] of a Unix socket; nil: UDP
  def initialize(path: nil)
    @path = path
    @socket = path ? unix(path) : UDPSocket.new.tap { |udp| udp.bind("127.0.0.1", 0) }
    @socket.setsockopt(:SOCKET, :RCVBUF, 4 * 1024 * 1024)
    @datagrams = []
    @unreadable = []
    @thread = Thread.new { loop { @datagrams << @socket.recv(65_536) } }
    @thread.report_on_exception = false
  end

  def address
    @path ? "unix://#{@path}" : "udp://127.0.0.1:#{@socket.local_address.ip_port}"
  end

  def stop
    @thread.kill.join
    @socket.close
  end

  # @return [Array<Message>] all so far
  def messages(name = nil)
    lines = @datagrams.dup.flat_map { |datagram| datagram.force_encoding("UTF-8").split("\n") }
    found = lines.flat_map { |line| read(line) }
    name ? found.select { |message| message.name == name } : found
  end

  private

  def unix(path)
    socket = Socket.new(:UNIX, :DGRAM)
    socket.bind(Socket.sockaddr_un(path))
    socket
  end

  # @return [Array<Message>] one for each of its values
  def read(line)
    parts = LINE.match(line)
    unless parts
      @unreadable << line
      return []
    end
    tags = parts[:tags].to_s.split(",").to_h { |tag| tag.split(":", 2) }
    count = parts[:rate] ? (1 / Float(parts[:rate])).floor : 1
    parts[:values].split(":").map do |value|
      Message.new(name: parts[:name], value: Float(value), type: parts[:type], count:, tags:,
        container: parts[:container])
    end
  end
end
