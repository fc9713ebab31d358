# frozen_string_literal: true

module Holdup
  module Lab
    class Trial
    end

    # Asks endpoints that hardly ever come, one after the other, until a JIT has seen each as often as it
    # wants to before it compiles: two of a hundred requests would be compiled in the middle of the
    # measurement.
    class Trial::Rare
      # YJIT compiles what was called thirty times.
      CALLS = 40
      PATIENCE_S = 5

      # @param target [Target]
      # @param routes [Array<Route>]
      # @param clock [Clock]
      def initialize(target, routes:, clock: Clock.new)
        @target = target
        @routes = routes
        @clock = clock
      end

      # @param counts [Hash{String => Integer}] how often each was asked so far, by its label; empty where
      #   nobody knows
      # @param processes [Integer] that share the requests
      # @param longest_s [Numeric] at most
      # @return [void]
      def call(counts, processes:, longest_s:)
        return if counts.empty?
        random = Random.new(1)
        end_ns = @clock.monotonic_ns + longest_s * 1e9
        missing(counts, CALLS * processes).each { |route| ask(route, random) if @clock.monotonic_ns < end_ns }
      end

      private

      # One after the other, round by round.
      def missing(counts, calls)
        left = @routes.to_h { |route| [route, calls - counts.fetch(route.label, 0)] }
        (1..left.values.max).flat_map { |round| left.select { |_, times| times >= round }.keys }
      end

      def ask(route, random)
        Load.new(target: @target, arrivals: [Arrival.new(at_ns: 0, route:, path: route.path_for(random))],
          patience_s: PATIENCE_S).run
      end
    end
  end
end
