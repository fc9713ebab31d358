# frozen_string_literal: true

require "net/http"

# Clients that send one request after the other until #stop, and count the answers: the truth that the
# recordings are compared with.
class ClientTraffic
  PAUSE_S = 0.002 # a server with nothing but clients to answer starves its own restart on a small machine
  TROUBLES = [SystemCallError, IOError, Net::ReadTimeout, Net::OpenTimeout, Net::HTTPBadResponse].freeze

  # @param app [ServedApp]
  # @param path [String]
  # @param clients [Integer]
  # @param stamped [Boolean] whether requests say when they were sent, as a proxy does
  # @param pause_s [Numeric] between an answer and a client's next request
  def self.to(app, path, clients: 2, stamped: false, pause_s: PAUSE_S)
    new(app, path, stamped:, pause_s:).start(clients)
  end

  def initialize(app, path, stamped: false, pause_s: PAUSE_S)
    @app = app
    @path = path
    @stamped = stamped
    @pause_s = pause_s
    @stop = Thread::Queue.new
    @answered = @troubled = 0
    @times_s = []
    @lock = Mutex.new
  end

  # @return [self]
  def start(clients)
    @threads = Array.new(clients) { Thread.new { ask until @stop.pop(timeout: @pause_s) || @stop.closed? } }
    self
  end

  # @return [self] after the last answer
  def stop
    @stop.close
    @threads.each(&:join)
    self
  end

  # Requests with a whole answer; and those without, whose unit may have been finished or not.
  attr_reader :answered, :troubled

  # @return [Float] share of the answers that took longer, as the clients measured it
  def share_longer_than(seconds)
    times_s = @lock.synchronize { @times_s.dup }
    times_s.count { |time_s| time_s > seconds }.fdiv(times_s.size)
  end

  private

  def ask
    began_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    code = @app.get(@path, headers).code
    time_s = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began_s
    raise "#{@path} was answered with #{code}" unless code == "200"
    @lock.synchronize do
      @answered += 1
      @times_s << time_s
    end
  rescue *TROUBLES
    @lock.synchronize { @troubled += 1 }
  end

  def headers
    @stamped ? {"X-Request-Start" => "t=#{Process.clock_gettime(Process::CLOCK_REALTIME)}"} : {}
  end
end
