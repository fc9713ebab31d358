# frozen_string_literal: true

module Holdup
  module Lab
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
end
