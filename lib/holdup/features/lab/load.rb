# frozen_string_literal: true

require "socket"
require "uri"

module Holdup
  module Lab
    # An open loop: sends every request when it is due and measures its latency from then. A closed loop (each
    # user waits for the answer before asking again) sends less when the server is slow and so hides what
    # users would feel. One thread with IO.select, outside the server's process, so that it takes no GVL of
    # the server.
    #
    #   arrivals = Arrivals.new(routes:, rate: 60, seconds: 20)
    #   target = Load::Target.new("http://127.0.0.1:9300")
    #   Load.new(target:, arrivals:).run["OrdersController#index"].p95_ns
    class Load
      REPORT_EVERY_NS = 250_000_000
      LONGEST_NAP_S = 0.1

      # Progress of a load. `elapsed_s` since its start, `done` and `open` count requests.
      Progress = Data.define(:elapsed_s, :done, :open)

      # @param arrivals [Enumerable<Arrival>] in order of time
      # @param connections [Integer] at most this many at once; further due requests wait, and their latency
      #   grows
      # @param patience_s [Numeric] a request without an answer by then counts as lost
      # @param progress [#call, nil] receives a Progress about four times a second
      def initialize(target:, arrivals:, connections: 128, patience_s: 15, clock: Clock.new, progress: nil)
        @target = target
        @clock = clock
        @progress = progress
        @arrivals = arrivals.to_a
        @connections = connections
        @patience_ns = (patience_s * 1e9).to_i
        @open = []
        @tally = Exchange::Counts.new
      end

      # @return [Hash<String, Exchange::Outcome>] by the routes' labels
      def run
        @start_ns = @reported_ns = @clock.monotonic_ns
        @began_ns = @clock.realtime_ns
        step until @arrivals.empty? && @open.empty?
        @elapsed_s = elapsed_ns / 1e9
        @tally.outcomes
      ensure
        @open.each(&:close)
      end

      # @return [Float] seconds from the start to the last answer
      attr_reader :elapsed_s

      # @return [Exchange::Outcome, nil] of all routes together; nil without requests
      def total = @tally.total

      private

      def step
        launch while due?
        ready.each(&:advance)
        settle
        report
      end

      def due?
        @open.size < @connections && @arrivals.any? && @arrivals.first.at_ns <= elapsed_ns
      end

      # The delay after a request was due is queueing too, so X-Request-Start has the due time.
      def launch
        arrival = @arrivals.shift
        @open << Exchange.new(arrival, @target, due_us: (@began_ns + arrival.at_ns) / 1000)
      end

      # The exchanges that can continue; waits for one until the next request is due.
      def ready
        by_io = @open.reject(&:done?).to_h { |exchange| [exchange.io, exchange] }
        writing, reading = by_io.values.partition(&:writing?)
        readable, writable = IO.select(reading.map(&:io), writing.map(&:io), nil, nap_s)
        [*readable, *writable].map { |io| by_io.fetch(io) }
      end

      def nap_s
        return LONGEST_NAP_S if @arrivals.empty? || @open.size >= @connections
        ((@arrivals.first.at_ns - elapsed_ns) / 1e9).clamp(0, LONGEST_NAP_S)
      end

      def settle
        now = elapsed_ns
        done, @open = @open.partition { |exchange| exchange.done? || late?(exchange, now) }
        done.each { |exchange| finish(exchange, now) }
      end

      def late?(exchange, now)
        now - exchange.arrival.at_ns > @patience_ns
      end

      def finish(exchange, now)
        status = exchange.status if exchange.done?
        exchange.close
        @tally.add(exchange.arrival.route, status, now - exchange.arrival.at_ns)
      end

      def elapsed_ns = @clock.monotonic_ns - @start_ns

      def report
        now = @clock.monotonic_ns
        return if @progress.nil? || now - @reported_ns < REPORT_EVERY_NS
        @reported_ns = now
        @progress.call(Progress.new(elapsed_s: elapsed_ns / 1e9, done: @tally.count, open: @open.size))
      end

      # The built-in load: an open loop (see Load) in this process. The same seed sends the same requests.
      class OpenLoop
        # The client's measurements of a load. `total`: Exchange::Outcome of all routes; `routes`: the same by
        # label; `seconds`: until the last answer; `mean_ns`: mean latency, of loads without X-Request-Start
        Seen = Data.define(:total, :routes, :seconds, :mean_ns) do
          def initialize(total:, routes:, seconds:, mean_ns: nil)
            super
          end

          # @return [Float] answers per second
          def throughput = total.answered.fdiv(seconds)
        end

        # @return [Symbol] :open: sends each request when due, with that time in X-Request-Start; other kinds
        #   see LoadTool
        def kind = :open

        # @param progress [#call, nil] see Load
        def call(target, routes:, rate:, seconds:, seed: 1, progress: nil)
          load = Load.new(target:, arrivals: Arrivals.new(routes:, rate:, seconds:, seed:), progress:)
          routes = load.run
          Seen.new(total: load.total, routes:, seconds: [load.elapsed_s, seconds].max)
        end
      end

      # Whether a server kept up with an open load. If not, its queue grows as long as the measurement lasts,
      # so the requests' wait depends on that length and not on the server.
      module Pace
        # A server that answers a smaller share of the sent requests can't keep up.
        SERVED = 0.95

        # @param sent [Integer] requests; chance makes them a little more or less than the rate
        # @param throughput [Float] answers per second, until the last one
        # @param seconds [Numeric] of sending
        # @param response_ns [Numeric] of a request: even without a queue, the last answer comes after the end
        def self.kept?(sent:, throughput:, seconds:, response_ns:)
          throughput >= SERVED * sent / (seconds + response_ns / NS.to_f)
        end
      end

      # Poisson arrivals of a mix of routes: independent users who do not wait for each other. The same seed
      # gives the same traffic.
      class Arrivals
        # A request due `at_ns` after the start, independent of earlier requests.
        Arrival = Data.define(:at_ns, :route, :path)

        include Enumerable

        # @param seconds [Numeric] for how long
        def initialize(routes:, rate:, seconds:, seed: 1)
          @routes = routes
          @rate = rate
          @seconds = seconds
          @seed = seed
          @shares = shares(routes)
        end

        # @yieldparam arrival [Arrival] in order of time
        # @return [Enumerator] without a block
        def each
          return to_enum unless block_given?
          random = Random.new(@seed)
          at = gap(random)
          while at < @seconds
            route = pick(random)
            yield Arrival.new(at_ns: (at * 1e9).round, route:, path: route.path_for(random))
            at += gap(random)
          end
        end

        private

        def gap(random) = -Math.log(1 - random.rand) / @rate

        def pick(random)
          point = random.rand
          @shares.find { |limit, _| point < limit }&.last || @routes.last
        end

        # Each route with the upper end of its interval within 0...1.
        def shares(routes)
          total = routes.sum(&:weight).to_f
          sum = 0
          routes.map { |route| [(sum += route.weight) / total, route] }
        end
      end
    end

    class Load
      # The address of a load, always on this machine: an open loop does not slow down with the server, so it
      # would be an attack on any other host.
      class Target
        # @return [Addrinfo] the checked address, so that no second look-up can return another
        attr_reader :address

        # @return [String] value of the Host header
        attr_reader :authority

        # @param url [String] "http://127.0.0.1:9300"
        # @raise [UsageError] when it isn't an http address of this machine
        def initialize(url)
          uri = parse(url)
          @authority = "#{uri.host}:#{uri.port}"
          @address = addresses(uri).first
        end

        private

        def parse(url)
          uri = URI.parse(url)
          return uri if uri.is_a?(URI::HTTP) && !uri.is_a?(URI::HTTPS) && !uri.host.to_s.empty?
          raise UsageError.new("#{url} is not an http address", "give one such as http://127.0.0.1:9300")
        rescue URI::InvalidURIError
          raise UsageError.new("#{url.inspect} is not an address", "give one such as http://127.0.0.1:9300")
        end

        def addresses(uri)
          found = Addrinfo.getaddrinfo(uri.hostname, uri.port, nil, :STREAM)
          return found if found.all? { |address| loopback?(address) }
          raise UsageError.new("#{uri.host} is not this machine",
            "a load only goes to a loopback address such as 127.0.0.1")
        rescue SocketError => error
          raise UsageError.new("#{uri.host} has no address (#{error.message})", "give one such as 127.0.0.1")
        end

        def loopback?(address)
          address.ipv4_loopback? || address.ipv6_loopback?
        end
      end
    end
  end
end
