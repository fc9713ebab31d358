# frozen_string_literal: true

module Holdup
  module Sizing
    class Traffic
    end

    # Draws units of a traffic for a replay, and the company that they have.
    class Traffic::UnitDraws
      NS = 1_000_000_000
      MINUTE_S = 60
      # A pool that is full gets less done than is asked for: what it is replayed with comes for so much
      # longer.
      LONGER = 2

      # @param traffic [Traffic]
      def initialize(traffic)
        @traffic = traffic
      end

      # @param seed [Integer]
      # @param rate [Float] units per second
      # @param units [Integer] at most
      # @return [Trace] see Traffic#peak
      def peak(seed, rate, units)
        own = drawn(seed, rate, units) { |profile, at| unit(profile, at) }
        trace(own, [[@traffic.company_rate, LONGER * most(rate, units) * NS / rate]], seed)
      end

      # @param seed [Integer]
      # @param rate [Float] units per second
      # @param units [Integer] at most
      # @yieldparam profile [UnitSample]
      # @yieldparam at [Float] ns after the first
      # @return [Array] what the block made of each
      def drawn(seed, rate, units)
        random = Random.new(seed)
        at = 0.0
        Array.new(most(rate, units)) { yield(all.draw(random), at += gap(NS / rate, random)) }
      end

      # @param seed [Integer]
      # @param units [Integer] about so many
      # @return [Trace] see Traffic#recorded
      def recorded(seed, units)
        random = Random.new(seed)
        minutes = minutes(units)
        own = minutes.each_with_index.flat_map { |(lots, rate), index|
          minute(lots, rate, index * MINUTE_S * NS, random)
        }
        trace(own, minutes.map { |_, _, company| [company, MINUTE_S * NS] }, seed)
      end

      private

      def trace(own, spans, seed)
        Trace.new(own,
          company: @traffic.company ? Trace.new(@traffic.company.units(spans, pools: @traffic.pools,
            seed:)) : Trace::NOBODY)
      end

      # Where much company comes with each of them, fewer are drawn.
      def most(rate, units)
        @traffic.company_rate.zero? ? units : [units,
          (ConcurrentUnits::MOST * units * rate / @traffic.company_rate).ceil].min
      end

      def all
        @all ||= WeightedDraw.new(@traffic.blocks.flat_map(&:scaled))
      end

      def minutes(units)
        every = @traffic.blocks.flat_map { |block|
          (lots = WeightedDraw.new(block.profiles.map { |profile|
            [profile,
              profile.weight]
          })) && block.pairs.map { |rates| [lots, *rates] }
        }
        step = [
          (every.sum { |_, own, company|
            [own,
              company / ConcurrentUnits::MOST].max * MINUTE_S
          } / units).ceil, 1
        ].max
        every.each_slice(step).map(&:first)
      end

      def minute(lots, rate, start_ns, random)
        return [] if rate.zero?
        units = []
        at = start_ns + gap(NS / rate, random)
        while at < start_ns + MINUTE_S * NS
          units << unit(lots.draw(random), at)
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
