# frozen_string_literal: true

module Holdup
  module Ps
    # A sign that a process hangs. `key` and `facts`: of a result of the doctor's check
    HungSign = Data.define(:key, :facts)

    # What says that a process hangs: nobody else gets the GVL, all threads of a pool wait for something, or a
    # thread sleeps in a request or job for minutes. It judges only what the process's open requests and jobs
    # say, and only states that were seen lately.
    class HungSigns
      # A pool whose threads all wait serves nobody. Short waits of all of them are usual.
      PARKED_NS = 10_000_000_000
      # Few requests and jobs wait for one thing as long as that.
      SLEPT_NS = 120_000_000_000
      # A state that was seen earlier says nothing of now. On a busy machine it is looked at late.
      LATELY_NS = 5_000_000_000
      # States in which a thread waits for something that Holdup can't name, or for a connection.
      PARKED = %i[idle connection].freeze
      # Keys that say who holds the GVL.
      HOLDS = %i[hung_gvl hung_gvl_unplaced].freeze

      # @param process [OpenProcess]
      # @param now_ns [Integer] since 1970
      # @return [Array<HungSign>]
      def self.of(process, now_ns) = new(process, now_ns).to_a

      def initialize(process, now_ns)
        @process = process
        @now_ns = now_ns
      end

      # @return [Array<HungSign>]
      def to_a
        return [sign(:hung_stopped)] if @process.stopped
        pools = full_pools
        [long_hold, *pools, (long_sleep if pools.empty?)].compact
      end

      private

      def sign(key, **facts)
        HungSign.new(key:, facts: {pid: @process.pid, process: @process.name, **facts})
      end

      def long_hold
        hold = GvlHold.of(@process, @now_ns)
        return unless hold&.long? && lately?(hold.seen)
        key = hold.place ? :hung_gvl : :hung_gvl_unplaced
        sign(key, name: hold.name, held_ns: hold.seen.lasted_ns, place: SampledPlace.short(hold.place))
      end

      def lately?(seen) = seen.age_ns <= LATELY_NS

      def full_pools
        @process.pools.filter_map.with_index do |(pool, threads), index|
          parked = of_pool(pool, first: index.zero?)
          busy = parked.uniq { |unit, _| unit.thread }.size
          next unless threads&.positive? && busy >= threads
          sign(:hung_pool, threads:, time_ns: parked.map(&:last).min, names: names(parked))
        end
      end

      # Requests and jobs without a pool are of the server's, the first.
      def of_pool(pool, first:)
        waits.select do |unit, time_ns|
          (unit.pool == pool || (first && unit.pool.nil?)) && time_ns >= PARKED_NS
        end
      end

      # @return [Array<Array(Segment::OpenUnit, Integer)>] each that waits, and for how long
      def waits
        @waits ||= @process.units.select { |unit| PARKED.include?(unit.state) }.filter_map do |unit|
          seen = SeenState.new(since_ns: unit.since_ns, seen_ns: unit.seen_ns, now_ns: @now_ns)
          [unit, seen.lasted_ns] if seen.lasted_ns && lately?(seen)
        end
      end

      def names(parked) = parked.map { |unit, _| unit.name }.uniq.sort.first(MOST_NAMES).join(", ")

      def long_sleep
        unit, time_ns = waits.max_by(&:last)
        return unless unit && time_ns >= SLEPT_NS
        sign(:hung_sleep, name: unit.name, thread: unit.thread, time_ns:,
          place: SampledPlace.short(unit.place))
      end

      # Names in a sentence.
      MOST_NAMES = 3
      private_constant :MOST_NAMES
    end
  end
end
