# frozen_string_literal: true

module Holdup
  module Lab
    class Trial
    end

    # Drives a server until it is steady. It gets the same requests again and again, slice by slice; while
    # code is loaded and compiled and caches fill, the CPU that a request takes falls. Steady: in CALM slices
    # one after the other it was not lower than in the one before, but for noise, and hardly anything more was
    # compiled.
    class Trial::WarmUp
      LONGEST_S = 45
      SLICE_S = (2.0..10.0)
      # So many requests in a slice, that their mean says something.
      REQUESTS = 100
      FALL = 0.05
      CALM = 2
      # Of what is compiled, from one slice to the next; Jit::Warmth asks for no less.
      GROWTH = 0.01

      # `cpu_ns`: of a request; `compiled`: pieces of code that processes have compiled which do not call
      # themselves warm; nil: none
      Slice = Data.define(:cpu_ns, :compiled) do
        def initialize(cpu_ns:, compiled: nil) = super

        # @return [Boolean] whether it was like the one before
        def calm?(before)
          !cheaper?(before) && !compiled_more?(before)
        end

        private

        def cheaper?(before)
          cpu_ns <= before.cpu_ns * (1 - FALL)
        end

        def compiled_more?(before)
          compiled && before.compiled && compiled > before.compiled * (1 + GROWTH)
        end
      end

      # `seconds`: how long it took; `cpu_ns`: of a request, slice by slice; `steady`: whether it got there in
      # time
      Result = Data.define(:seconds, :cpu_ns, :steady) do
        # @return [Float] by how much more CPU than in the end a request took in the first slice
        def cold = cpu_ns.first / cpu_ns.last - 1

        # @return [Float] seconds until a request took as little as in the end, but for noise
        def warm_after_s
          seconds / cpu_ns.size * cpu_ns.index { |cpu| cpu <= cpu_ns.last * (1 + FALL) }
        end
      end

      # @param kind [Symbol] of the load; the rate of a :closed loop is not known, but high
      # @param longest_s [Numeric] of the warm-up
      # @return [Float] seconds of a slice
      def self.slice_s(rate, kind: :open, longest_s: LONGEST_S)
        slice_s = (kind == :closed) ? SLICE_S.begin : REQUESTS.fdiv(rate).clamp(SLICE_S)
        [slice_s, longest_s].min
      end

      def initialize(slice_s:, longest_s: LONGEST_S)
        @slice_s = slice_s
        @most = [(longest_s / slice_s).floor, 1].max
      end

      # @yieldparam slices [Integer] that were before
      # @yieldreturn [Slice] one more
      def call
        slices = []
        slices << yield(slices.size) until steady?(slices) || slices.size >= @most
        Result.new(seconds: slices.size * @slice_s, cpu_ns: slices.map(&:cpu_ns), steady: steady?(slices))
      end

      private

      def steady?(slices)
        return false unless slices.size > CALM
        slices.last(CALM + 1).each_cons(2).all? { |before, after| after.calm?(before) }
      end

      # Asks endpoints that hardly ever come, one after the other, until a JIT has seen each as often as it
      # wants to before it compiles: two of a hundred requests would be compiled in the middle of the
      # measurement.
      class Rare
        # YJIT compiles what was called thirty times.
        CALLS = 40
        PATIENCE_S = 5

        def initialize(target, routes:, clock: Clock.new)
          @target = target
          @routes = routes
          @clock = clock
        end

        # @param counts [Hash{String => Integer}] how often each was asked so far, by its label; empty where
        #   it is not known
        # @param processes [Integer] that share the requests
        # @param longest_s [Numeric] at most
        def call(counts, processes:, longest_s:)
          return if counts.empty?
          random = Random.new(1)
          end_ns = @clock.monotonic_ns + longest_s * 1e9
          missing(counts, CALLS * processes).each do |route|
            ask(route, random) if @clock.monotonic_ns < end_ns
          end
        end

        private

        # One after the other, round by round.
        def missing(counts, calls)
          left = @routes.to_h { |route| [route, calls - counts.fetch(route.label, 0)] }
          (1..left.values.max).flat_map { |round| left.select { |_, times| times >= round }.keys }
        end

        def ask(route, random)
          arrival = Arrivals::Arrival.new(at_ns: 0, route:, path: route.path_for(random))
          Load.new(target: @target, arrivals: [arrival], patience_s: PATIENCE_S).run
        end
      end
    end
  end
end
