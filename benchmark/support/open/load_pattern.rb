# frozen_string_literal: true

require "holdup/loader"

module Bench
  # How requests come: when, and on which connections. Given to Holdup::Lab::Trial::Session as its load.
  #
  # `arrivals`: :poisson (each on its own) or :bursts (page loads); `kept`: whether connections are kept
  OpenPattern = Data.define(:arrivals, :kept) do
    # @return [Symbol] see Holdup::Lab::Load::OpenLoop#kind
    def kind = :open

    # @return [String]
    def name
      came = (arrivals == :bursts) ? "page loads of #{PageLoads::REQUESTS} requests" : "single requests"
      "#{came}, #{kept ? "#{KeptLoad::CONNECTIONS} kept connections" : "a connection each"}"
    end

    # @return [Array<Holdup::Lab::Load::Arrivals::Arrival>] in order of time
    def due(routes:, rate:, seconds:, seed:)
      kinds = {poisson: Holdup::Lab::Load::Arrivals, bursts: PageLoads}
      kinds.fetch(arrivals).new(routes:, rate:, seconds:, seed:).to_a
    end

    # @return [Holdup::Lab::Load::OpenLoop::Seen]
    def call(target, routes:, rate:, seconds:, seed: 1, progress: nil)
      load = client.new(target:, arrivals: due(routes:, rate:, seconds:, seed:), progress:)
      seen = load.run
      Holdup::Lab::Load::OpenLoop::Seen.new(total: load.total, routes: seen,
        seconds: [load.elapsed_s, seconds].max)
    end

    private

    def client
      kept ? KeptLoad : Holdup::Lab::Load
    end
  end

  # Page loads that come on their own (Poisson). Each sends several requests within a moment, as a browser or
  # a script does.
  class PageLoads
    REQUESTS = 6
    WITHIN_NS = 60_000_000

    # @param rate [Numeric] requests per second
    def initialize(routes:, rate:, seconds:, seed:)
      @random = Random.new(seed)
      @pages = Holdup::Lab::Load::Arrivals.new(routes:, rate: rate.fdiv(REQUESTS), seconds:, seed:)
      @deck = Holdup::Lab::Load::Arrivals.new(routes:, rate:, seconds: seconds + 1, seed: seed + 1)
        .lazy.map { |arrival| [arrival.route, arrival.path] }
    end

    # @return [Array<Holdup::Lab::Load::Arrivals::Arrival>] in order of time
    def to_a
      times = @pages.flat_map do |page|
        [page.at_ns, *Array.new(REQUESTS - 1) { page.at_ns + @random.rand(WITHIN_NS) }]
      end
      drawn = @deck.first(times.size)
      times.sort.each_with_index.map do |at_ns, index|
        route, path = drawn[index % drawn.size]
        Holdup::Lab::Load::Arrivals::Arrival.new(at_ns:, route:, path:)
      end
    end
  end

  # An open load on connections that are kept, as users or a proxy have them: each request takes any of those
  # that are free. Which process answers was decided when the connection was opened.
  class KeptLoad < Holdup::Lab::Load
    CONNECTIONS = 32
    SEED = 3

    def initialize(connections: CONNECTIONS, **)
      super
      @random = Random.new(SEED)
      @free = Array.new(connections)
    end

    # @see Holdup::Lab::Load#run
    def run
      super
    ensure
      @free.compact.each(&:close)
    end

    private

    # A place of @free has no connection before its first request.
    def launch
      arrival = @arrivals.shift
      io = @free.delete_at(@random.rand(@free.size))
      @open << KeptExchange.new(arrival, @target, due_us: (@began_ns + arrival.at_ns) / 1000, io:)
    end

    def settle
      now = elapsed_ns
      done, @open = @open.partition { |exchange| exchange.done? || late?(exchange, now) }
      done.each do |exchange|
        @free << exchange.release
        @tally.add(exchange.arrival.route, exchange.status, now - exchange.arrival.at_ns)
      end
    end
  end

  # One request and its answer on a connection that may go on afterwards.
  class KeptExchange < Holdup::Lab::Exchange
    CLOSING = "connection: close\r\n"
    CLOSED = /\A[^\r]*\r\n(?:[^\r]+\r\n)*?connection: *close/i

    # @param io [Socket, nil] nil: opens one
    def initialize(arrival, target, due_us:, io:)
      @used = io
      super(arrival, target, due_us:)
    end

    def done? = super || !Response.new(@received).status.nil?

    # @return [Socket, nil] for the next request; nil, if it can take none
    def release
      return io if !io.closed? && status && !@received.match?(CLOSED)
      io.close
      nil
    end

    private

    def request(...) = super.sub(CLOSING, "")

    def connection(target) = @used || super
  end
end
