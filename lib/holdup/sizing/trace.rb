# frozen_string_literal: true

module Holdup
  module Sizing
    # Units as they are fed to a replay, in the order of their arrival, packed: a candidate is tried with tens
    # of thousands.
    class Trace
      # One unit. `held_ns`: time holding the GVL; `idle_ns`: neither holding nor wanting it; `acquisitions`:
      # how often it took the GVL back after it had let it go; `longest_ns`: of its holds, 0 when nobody
      # knows; `in_flight_milli`: units in its process while it was recorded, in thousandths; `rest_ns`: for
      # how long there had been none when it began; `group`: which group of processes takes it; `io`: its
      # thread does not count against the cap once it has it (Puma's max_io_threads); `slice_ns`: its thread's
      # time slice (priority), 0 where it is that of the group; `pool`: whose threads take it, see Pools;
      # `before`: how many of its holds are before it begins, see Between
      class TraceUnit < Data.define(:arrival_ns, :held_ns, :idle_ns, :acquisitions, :longest_ns,
        :in_flight_milli, :rest_ns, :group, :io, :slice_ns, :pool, :before)
        # @param profile [UnitSample]
        # @param arrival_ns [Numeric]
        # @param pool [Integer]
        # @return [TraceUnit] as it was recorded, arriving then
        def self.of(profile, arrival_ns, pool: 0)
          new(arrival_ns: arrival_ns.round, held_ns: profile.running_ns, idle_ns: profile.idle_ns, acquisitions: profile.acquisitions,
            longest_ns: [profile.longest_hold_ns, profile.running_ns].min, in_flight_milli: [profile.in_flight_milli, 1000].max,
            rest_ns: profile.rest_ns.to_i, pool:)
        end

        # Not `initialize`, which `with` would go through as well, for tens of thousands of units.
        def self.new(arrival_ns:, held_ns:, idle_ns:, acquisitions:, longest_ns: 0, in_flight_milli: 1000,
          rest_ns: 0, group: 0, io: false, slice_ns: 0, pool: 0, before: 0)
          super
        end

        # @return [Array<Integer>] in the order of ReplayEngine::UNIT_WORDS
        def words
          [arrival_ns, held_ns, idle_ns, acquisitions + 1,
            idle_ns.zero? ? acquisitions : [acquisitions, 1].max, longest_ns, in_flight_milli, rest_ns, group, io ? 1 : 0, slice_ns, pool, before]
        end
      end

      FORMAT = "Q<13"

      # @param profiles [Array<UnitSample>] all units of a span, none left out
      # @return [Trace] of these very units, when each came
      def self.of(profiles)
        arrivals = profiles.map { |profile| profile.start_ns - profile.queued_ns.to_i }
        first_ns = arrivals.min.to_i
        new(profiles.zip(arrivals).map { |profile, at_ns| TraceUnit.of(profile, at_ns - first_ns) })
      end

      # @return [Array<TraceUnit>]
      attr_reader :units

      # @param units [Enumerable<TraceUnit>] in any order
      # @param company [Trace, nil] of the other kind's units, that come to the same processes meanwhile: see
      #   Company
      def initialize(units, company: self.class::NOBODY)
        @units = units.sort_by(&:arrival_ns).freeze
        @company = company
      end

      # @return [Trace]
      def company
        @company || self.class::NOBODY
      end

      # @return [Integer] without the company
      def size = units.size

      # @return [String] packed, without the company
      def bytes
        @bytes ||= units.each_with_object(String.new(capacity: size * 104)) { |unit, all|
          unit.words.pack(
            FORMAT, buffer: all
          )
        }.freeze
      end

      # @yieldparam unit [TraceUnit]
      # @return [Trace] with each unit changed, in the same company
      def map(&) = Trace.new(units.map(&), company:)

      # @param factor [Float] 2.0: twice the traffic, the same units in half the time
      # @return [Trace]
      def faster(factor)
        map { |unit| unit.with(arrival_ns: (unit.arrival_ns / factor).round) }
      end

      # @return [Trace] all of them waiting from the start, in the same order: threads that always have work.
      #   Company comes when it came
      def backlog
        @backlog ||= Trace.new(units.each_with_index.map { |unit, index| unit.with(arrival_ns: index) },
          company:)
      end

      # @param count [Integer]
      # @return [Trace] of so many of the units
      def first(count)
        Trace.new(units.first(count), company:)
      end

      # @param factor [Float]
      # @return [Trace] whose company has so much longer time slices
      def paced(factor)
        (factor == 1 || company.units.empty?) ? self : Trace.new(units,
          company: company.map { |unit| unit.with(slice_ns: (unit.slice_ns * factor).round) })
      end

      # @return [Array<Array<Integer>>] which of the units are of each pool
      def pools
        @pools ||= units.each_index.group_by { |index| units[index].pool }.then { |found|
          Array.new(found.keys.max.to_i + 1) { |pool| found.fetch(pool, []) }
        }
      end
    end

    Trace::NOBODY = Trace.new([], company: nil)
  end
end
