# frozen_string_literal: true

module Holdup
  module Sizing
    # Units of the other kind that run in the same processes, as they came: requests beside jobs, jobs beside
    # requests. Nothing of theirs is sized, but they hold the GVL that the units in question want.
    #
    # What they are like is drawn from all that were kept, how many come is that of the minute: there are
    # mostly fewer of them.
    class ConcurrentUnits
      NS = 1_000_000_000
      MINUTE_S = 60
      # With fewer nobody knows what they are like.
      FEWEST = 50
      # So many of them to each unit in question are replayed; where there are more, fewer units are drawn.
      MOST = 2

      # Chance of their own: they come when they come, not when the others do.
      CHANCE = 1_000_003

      # What they ask for, of a host. `busy`: threads that they keep when none of them has to wait; `cpus`:
      # that they use
      ConcurrentLoad = Data.define(:busy, :cpus)
      NOBODY = ConcurrentLoad.new(busy: 0.0, cpus: 0.0)

      # @param profiles [Array<UnitSample>]
      # @param arrivals [Hash{Integer => Numeric}] start of a minute => units that started in it, on all hosts
      # @param slice_ns [Integer] time slice of its threads; 0: that of the others
      def initialize(profiles, arrivals, slice_ns: 0)
        @profiles = profiles
        @arrivals = arrivals
        @slice_ns = slice_ns
      end

      # @param minutes [Array<Integer>] starts
      # @param hosts [Integer]
      # @return [Array<Float>] units per second and host in each
      def rates(minutes, hosts: 1)
        minutes.map { |at_s| @arrivals.fetch(at_s, 0).fdiv(MINUTE_S * hosts) }
      end

      # @param spans [Array<(Float, Numeric)>] units per second, and for how long (ns), one after the other
      # @param pools [ThreadPools] who takes which
      # @param seed [Integer]
      # @return [Array<Trace::TraceUnit>]
      def units(spans, pools:, seed:)
        random = Random.new(seed + CHANCE)
        start_ns = 0
        spans.flat_map { |rate, length_ns|
          came(rate, start_ns, start_ns += length_ns, random).map { |at| unit(lots.draw(random), at, pools) }
        }
      end

      # @param rate [Float] units per second and host
      # @return [ConcurrentLoad]
      def load(rate)
        ConcurrentLoad.new(busy: rate * mean { |profile| profile.running_ns + profile.idle_ns } / NS,
          cpus: rate * mean(&:cpu_ns) / NS)
      end

      private

      def came(rate, from_ns, to_ns, random)
        return [] if rate.zero?
        at = from_ns
        found = []
        found << at while (at += -Math.log(1 - random.rand) * NS / rate) < to_ns
        found
      end

      def unit(profile, at, pools)
        Trace::TraceUnit.of(profile, at, pool: pools.index(profile)).with(slice_ns: @slice_ns)
      end

      def lots
        @lots ||= WeightedSample.new(@profiles.map { |profile| [profile, profile.weight] })
      end

      def mean
        WeightedSample.mean(@profiles.map { |profile| [yield(profile), profile.weight] })
      end
    end
  end
end
