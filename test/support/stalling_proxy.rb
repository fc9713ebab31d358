# frozen_string_literal: true

require "fileutils"
require "socket"
require "tmpdir"

# A proxy between a store and its server, at a socket or port of its own, whose network can be bad.
#
#   StallingProxy.before(server.url) { |proxy| Holdup::Store.open(proxy.url) }
class StallingProxy
  PART = 65_536
  PG_SOCKET = ".s.PGSQL.5432"

  # @param url [String] of the server
  # @yieldparam proxy [StallingProxy] while it runs
  # @return [Object] the block's value
  def self.before(url)
    proxy = new(url)
    yield proxy
  ensure
    proxy&.close
  end

  # The URL by which a store goes through the proxy.
  attr_reader :url

  def initialize(url)
    @folder = Dir.mktmpdir("holdup-proxy") # short: a socket's path has at most 107 bytes
    @lock = Mutex.new
    @changed = ConditionVariable.new
    @sockets = []
    @threads = []
    @url = listen(url)
    lead_to(url)
    @threads << Thread.new { accept }
  end

  # Later connections go to another server of the same kind.
  # @param url [String]
  def lead_to(url)
    @upstream = address(url)
  end

  # Takes everything and passes nothing on, until `resume`.
  def stall = change { @stalled = true }

  def resume = change { @stalled = false }

  # Passes on what clients send, but from a request on that has these words no answer any more, until `cut`.
  def swallow_answers_to(words) = change { @words = words }

  # Ends all connections, and forgets what was kept back.
  def cut
    change { @mute = @words = nil }
    @lock.synchronize { @sockets.shift(@sockets.size) }.each { |socket| shut(socket) }
  end

  def close
    @listener.close
    cut
    @threads.each(&:kill).each(&:join)
    FileUtils.rm_rf(@folder)
  end

  private

  # @return [Array] kind and place
  def address(url)
    case url
    when /[?&]host=([^&]+)/ then [:unix, File.join(Regexp.last_match(1), PG_SOCKET)]
    when /[?&]socket=([^&]+)/ then [:unix, Regexp.last_match(1)]
    when %r{//(?:[^/@]*@)?([\d.]+):(\d+)} then [:tcp, Regexp.last_match(1), Integer(Regexp.last_match(2))]
    else raise ArgumentError, "no address in #{url}"
    end
  end

  # @return [String] URL of the proxy
  def listen(url)
    kind, place, port = address(url)
    if kind == :tcp
      @listener = TCPServer.new("127.0.0.1", 0)
      return url.sub("#{place}:#{port}", "127.0.0.1:#{@listener.addr[1]}")
    end
    path = File.join(@folder, File.basename(place))
    @listener = UNIXServer.new(path)
    url.include?("socket=") ? url.sub(place, path) : url.sub(File.dirname(place), @folder)
  end

  def change
    @lock.synchronize do
      yield
      @changed.broadcast
    end
  end

  def accept
    loop { serve(@listener.accept) }
  rescue IOError, SystemCallError
    nil # closed
  end

  def serve(client)
    kind, *place = @upstream
    server = (kind == :tcp) ? TCPSocket.new(*place) : UNIXSocket.new(*place)
    @lock.synchronize { @sockets.push(client, server) }
    @threads << Thread.new { pump(client, server) { |part| hold_request?(part) } }
    @threads << Thread.new { pump(server, client) { @stalled || @mute } }
  rescue SystemCallError
    client.close # as a server that is down
  end

  def hold_request?(part)
    @mute ||= @words && part.include?(@words)
    @stalled
  end

  # @yieldparam part [String]
  # @yieldreturn [Object] whether it is kept back
  def pump(from, to)
    loop do
      part = from.readpartial(PART)
      @lock.synchronize { @changed.wait(@lock) while yield(part) }
      to.write(part)
    end
  rescue IOError, SystemCallError
    [from, to].each { |socket| shut(socket) }
  end

  def shut(socket)
    socket.shutdown
  rescue IOError, SystemCallError
    nil
  end
end
