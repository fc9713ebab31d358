# frozen_string_literal: true

module Holdup
  module Lab
    class Trial
    end

    # Drives a server with the same requests, slice by slice, until it is steady. While it loads and compiles
    # code and fills caches, the CPU of a request falls. Steady: in CALM successive slices the CPU did not
    # fall by more than noise, and hardly any code was compiled.
    class Trial::WarmUp
      LONGEST_S = 45
      SLICE_S = (2.0..10.0)
      # Requests of a slice, enough for a meaningful mean.
      REQUESTS = 100
      FALL = 0.05
      CALM = 2
      # Growth of compiled code from one slice to the next; Jit::Warmth uses the same limit.
      GROWTH = 0.01

      # `cpu_ns`: of a request; `compiled`: pieces of code of the processes whose JIT is not warm yet; nil: no
      # such process
      Slice = Data.define(:cpu_ns, :compiled) do
        def initialize(cpu_ns:, compiled: nil) = super

        # @return [Boolean] whether it was like the previous one
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

      # `seconds`: duration; `cpu_ns`: of a request, slice by slice; `steady`: whether it became steady in
      # time
      WarmUpOutcome = Data.define(:seconds, :cpu_ns, :steady) do
        # @return [Float] additional CPU of a request in the first slice compared with the last, as a share
        def cold = cpu_ns.first / cpu_ns.last - 1

        # @return [Float] seconds until a request took as little CPU as at the end, except for noise
        def warm_after_s
          seconds / cpu_ns.size * cpu_ns.index { |cpu| cpu <= cpu_ns.last * (1 + FALL) }
        end
      end

      # @param kind [Symbol] of the load; the rate of a :closed loop is unknown, but high
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

      # @yieldparam slices [Integer] number of slices so far
      # @yieldreturn [Slice] the next slice
      def call
        slices = []
        slices << yield(slices.size) until steady?(slices) || slices.size >= @most
        cpu_ns = slices.map(&:cpu_ns)
        WarmUpOutcome.new(seconds: slices.size * @slice_s, cpu_ns:, steady: steady?(slices))
      end

      private

      def steady?(slices)
        return false unless slices.size > CALM
        slices.last(CALM + 1).each_cons(2).all? { |before, after| after.calm?(before) }
      end

      # Requests rare endpoints until each reaches the JIT's call threshold; otherwise their code would be
      # compiled during the measurement.
      class Rare
        # YJIT compiles after thirty calls.
        CALLS = 40
        PATIENCE_S = 5

        def initialize(target, routes:, clock: Clock.new)
          @target = target
          @routes = routes
          @clock = clock
        end

        # @param counts [Hash{String => Integer}] requests so far by label; empty if unknown
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

        # Round by round, one route after another.
        def missing(counts, calls)
          left = @routes.to_h { |route| [route, calls - counts.fetch(route.label, 0)] }
          (1..left.values.max).flat_map { |round| left.select { |_, times| times >= round }.keys }
        end

        def ask(route, random)
          arrival = Load::Arrivals::Arrival.new(at_ns: 0, route:, path: route.path_for(random))
          Load.new(target: @target, arrivals: [arrival], patience_s: PATIENCE_S).run
        end
      end
    end
  end
end
