# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Units of the other kind in the same processes: requests next to jobs, jobs next to requests. They are
      # not sized, but they hold the GVL that the sized units want. They are drawn from all recorded units of
      # their kind, at the rate of each minute.
      class ConcurrentUnits
        # Fewer do not represent the others.
        FEWEST = 50
        # Concurrent units replayed for each sized unit; if there are more, fewer sized units are drawn.
        MOST = 2

        # Added to the seed, so that their arrivals do not depend on those of the others.
        CHANCE = 1_000_003

        # Load of a host. `busy`: threads in use when none has to wait; `cpus`: in use
        ConcurrentLoad = Data.define(:busy, :cpus)
        NONE = ConcurrentLoad.new(busy: 0.0, cpus: 0.0)

        # @param arrivals [Hash{Integer => Numeric}] start of a minute => units that started in it, on all
        #   hosts
        # @param slice_ns [Integer] time slice of their threads; 0: that of the others
        def initialize(unit_samples, arrivals, slice_ns: 0)
          @unit_samples = unit_samples
          @arrivals = arrivals
          @slice_ns = slice_ns
        end

        # @param hosts [Hash{Integer => Numeric}] start of a minute => hosts that recorded in it
        # @return [Array<Float>] units per second and host in each of them
        def rates(hosts)
          hosts.map { |at_s, count| @arrivals.fetch(at_s, 0).fdiv(MINUTE_S * count) }
        end

        # @param spans [Array<(Float, Numeric)>] units per second, and for how long (ns), one after the other
        # @return [Trace]
        def trace(spans, pools:, seed:)
          random = Random.new(seed + CHANCE)
          start_ns = 0
          units = spans.flat_map do |rate, length_ns|
            arrivals = arrivals(rate, start_ns, start_ns += length_ns, random)
            arrivals.map { |at| unit(sample.draw(random), at, pools) }
          end
          Trace.new(units)
        end

        def load(rate)
          ConcurrentLoad.new(busy: rate * mean { |unit| unit.running_ns + unit.idle_ns } / NS,
            cpus: rate * mean(&:cpu_ns) / NS)
        end

        private

        def arrivals(rate, from_ns, to_ns, random)
          return [] if rate.zero?
          at = from_ns
          times = []
          times << at while (at += -Math.log(1 - random.rand) * NS / rate) < to_ns
          times
        end

        def unit(unit_sample, at, pools)
          Trace::TraceUnit.of(unit_sample, at, pool: pools.index(unit_sample)).with(slice_ns: @slice_ns)
        end

        def sample
          @sample ||= WeightedSample.new(@unit_samples.map { |unit_sample|
            [unit_sample, unit_sample.weight]
          })
        end

        def mean
          WeightedSample.mean(@unit_samples.map { |unit_sample| [yield(unit_sample), unit_sample.weight] })
        end
      end
    end
  end
end
