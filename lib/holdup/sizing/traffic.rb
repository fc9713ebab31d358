# frozen_string_literal: true

module Holdup
  module Sizing
    # Units to replay, drawn from recorded ones: at the rate of the busiest minutes, or as they came. Also of
    # a part of the recording, for intervals (see RecordingBootstrap).
    class Traffic
      NS = 1_000_000_000
      MINUTE_S = 60
      UNITS = 10_000
      # Load varies from minute to minute, and neighbouring minutes are alike: blocks are long if the
      # recording allows it.
      BLOCK_S = 600
      MIN_BLOCKS = 6
      PEAK = 0.95

      attr_reader :blocks, :block_s, :pools, :concurrent_units

      # @param arrivals [Hash{Integer => Integer}] start of a minute => units that started in it, on all hosts
      def self.of(profiles, arrivals, hosts: 1, pools: ThreadPools::ONE, concurrent_units: nil)
        rates = arrivals.transform_values { |count| count.fdiv(MINUTE_S * hosts) }
        long = rates.keys.map { |at_s| at_s / BLOCK_S }.uniq.size >= MIN_BLOCKS
        block_s = long ? BLOCK_S : MINUTE_S
        kept = profiles.group_by { |profile| profile.start_ns / NS / block_s }
        blocks = rates.group_by { |at_s, _| at_s / block_s }.sort.map do |number, pairs|
          minutes = pairs.sort.to_h
          concurrent_rates = concurrent_units&.rates(minutes.keys, hosts:).to_a
          TrafficBlock.new(start_s: number * block_s, rates: minutes.values,
            profiles: kept.fetch(number, []), concurrent_rates:)
        end
        new(blocks, block_s:, pools:, concurrent_units:)
      end

      def initialize(blocks, block_s: BLOCK_S, pools: ThreadPools::ONE, concurrent_units: nil)
        @blocks = blocks.reject { |block| block.profiles.empty? || block.weight.zero? }
        @block_s = block_s
        @pools = pools
        @concurrent_units = concurrent_units
      end

      # @param blocks [Array<TrafficBlock>] any of these, also several times
      def with(blocks)
        Traffic.new(blocks, block_s:, pools:, concurrent_units:)
      end

      # As many blocks, drawn with replacement.
      def resampled(random)
        with(Array.new(blocks.size) { blocks[random.rand(blocks.size)] })
      end

      # @yieldreturn [UnitSample, nil] the changed unit; nil removes it, and the rate falls
      def map
        changed = blocks.map do |block|
          kept = block.profiles.filter_map { |profile| yield profile }
          share = weight_of(kept) / weight_of(block.profiles)
          block.with(profiles: kept, rates: block.rates.map { |rate| rate * share })
        end
        with(changed)
      end

      def empty? = blocks.empty?

      def profiles = blocks.flat_map(&:profiles)

      # @return [Float] units per second and host in the busiest twentieth of the minutes
      def peak_rate
        rates[((rates.size - 1) * PEAK).ceil] || 0.0
      end

      def mean_rate = rates.sum / rates.size

      # @return [Float] units of the other kind per second and host
      def concurrent_rate
        rates = blocks.flat_map(&:concurrent_rates)
        rates.sum / [rates.size, 1].max
      end

      def concurrent_load
        concurrent_units ? concurrent_units.load(concurrent_rate) : ConcurrentUnits::NONE
      end

      # @return [Float] number of units that it represents
      def weight = blocks.sum(0.0, &:weight)

      # Shares of all units, by the key that the block returns for each.
      def shares
        grouped = blocks.flat_map(&:scaled).group_by { |profile, _| yield profile }
        grouped.transform_values { |same| same.sum(&:last) / weight }
      end

      # Mean of a profile's field over all units.
      def mean_of(field)
        total = blocks.sum do |block|
          block.scaled.sum { |profile, weight| profile.public_send(field) * weight }
        end
        total / [blocks.sum(&:weight), Float::MIN].max
      end

      # @param rate [Float] units per second
      # @return [Trace] at that rate, units of all times mixed; concurrent units come at their mean rate
      def peak(seed: 1, rate: peak_rate, units: UNITS)
        draws.peak(seed, rate, units)
      end

      # The units that `peak` draws, in its order.
      def drawn(seed: 1, rate: peak_rate, units: UNITS)
        draws.drawn(seed, rate, units) { |profile, _| profile }
      end

      # @return [Trace] minute by minute as recorded, or every nth minute, each with units of its own block
      def recorded(seed: 1, units: 2 * UNITS)
        draws.recorded(seed, units)
      end

      private

      def rates = @rates ||= blocks.flat_map(&:rates).sort

      def weight_of(profiles) = profiles.sum(0.0, &:weight)

      def draws = @draws ||= UnitDraws.new(self)

      # An interval of a recording. `rates`: units per second and host in each minute; `profiles`: its
      # recorded units; `concurrent_rates`: units of the other kind, likewise, empty without any, see
      # ConcurrentUnits
      TrafficBlock = Data.define(:start_s, :rates, :profiles, :concurrent_rates) do
        def initialize(start_s:, rates:, profiles:, concurrent_rates: [])
          super
        end

        def weight = rates.sum

        def scaled
          factor = weight / profiles.sum(0.0, &:weight)
          profiles.map { |profile| [profile, profile.weight * factor] }
        end

        def pairs
          rates.zip(concurrent_rates).map { |own, other| [own, other.to_f] }
        end
      end

      class UnitDraws
        NS = 1_000_000_000
        MINUTE_S = 60
        # A full pool gets less done than it is asked for, so its units arrive over a longer time.
        LONGER = 2

        def initialize(traffic)
          @traffic = traffic
        end

        def peak(seed, rate, units)
          own = drawn(seed, rate, units) { |profile, at| unit(profile, at) }
          trace(own, [[@traffic.concurrent_rate, LONGER * most(rate, units) * NS / rate]], seed)
        end

        # @yieldparam at [Float] ns after the first unit
        # @return [Array] what the block makes of each
        def drawn(seed, rate, units)
          random = Random.new(seed)
          at = 0.0
          Array.new(most(rate, units)) { yield(all.draw(random), at += gap(NS / rate, random)) }
        end

        def recorded(seed, units)
          random = Random.new(seed)
          minutes = minutes(units)
          own = minutes.each_with_index.flat_map do |(sample, rate), index|
            minute(sample, rate, index * MINUTE_S * NS, random)
          end
          trace(own, minutes.map { |_, _, concurrent_rate| [concurrent_rate, MINUTE_S * NS] }, seed)
        end

        private

        def trace(own, spans, seed)
          concurrent_units = @traffic.concurrent_units
          return Trace.new(own) unless concurrent_units
          others = concurrent_units.units(spans, pools: @traffic.pools, seed:)
          Trace.new(own, concurrent_units: Trace.new(others))
        end

        # With many concurrent units for each of them, fewer are drawn.
        def most(rate, units)
          concurrent_rate = @traffic.concurrent_rate
          return units if concurrent_rate.zero?
          [units, (ConcurrentUnits::MOST * units * rate / concurrent_rate).ceil].min
        end

        def all
          @all ||= WeightedSample.new(@traffic.blocks.flat_map(&:scaled))
        end

        def minutes(units)
          every = @traffic.blocks.flat_map do |block|
            sample = WeightedSample.new(block.profiles.map { |profile| [profile, profile.weight] })
            block.pairs.map { |rates| [sample, *rates] }
          end
          wanted = every.sum { |_, own, other| [own, other / ConcurrentUnits::MOST].max * MINUTE_S }
          every.each_slice([(wanted / units).ceil, 1].max).map(&:first)
        end

        def minute(sample, rate, start_ns, random)
          return [] if rate.zero?
          units = []
          at = start_ns + gap(NS / rate, random)
          while at < start_ns + MINUTE_S * NS
            units << unit(sample.draw(random), at)
            at += gap(NS / rate, random)
          end
          units
        end

        def unit(profile, at)
          Trace::TraceUnit.of(profile, at, pool: @traffic.pools.index(profile))
        end

        def gap(mean, random)
          -Math.log(1 - random.rand) * mean
        end
      end
    end
  end
end
