# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Units for a replay, in the order of their arrival, packed: a candidate is tried with tens of
      # thousands.
      class Trace
        # `held_ns`: time holding the GVL; `idle_ns`: neither holding nor wanting it; `acquisitions`: how
        # often it took the GVL back; `longest_ns`: longest hold, 0 if unknown; `in_flight_milli`: units in
        # its recorded process, in thousandths; `rest_ns`: idle time of the process before it; `group`: of
        # processes that takes it; `io`: its thread does not count against the cap (Puma's max_io_threads);
        # `slice_ns`: its thread's time slice (priority), 0: that of the group; `pool`: that takes it, see
        # ThreadPools; `before`: number of holds before it begins, see Scenario::DispatchCost;
        # `lane`: in which it waits, see Scenario; `after`, `after_ns`: number and time of holds of its thread
        # when it has ended; `moments`: acquisitions for a moment, at which it only lets others go first;
        # `arriving_ns`: see Scenario::DispatchCost
        class TraceUnit < Data.define(:arrival_ns, :held_ns, :idle_ns, :acquisitions, :longest_ns,
          :in_flight_milli, :rest_ns, :group, :io, :slice_ns, :pool, :before, :lane, :after, :after_ns,
          :moments, :arriving_ns)
          def self.of(unit_sample, arrival_ns, pool: 0, lane: 0)
            new(arrival_ns: arrival_ns.round, held_ns: unit_sample.running_ns, idle_ns: unit_sample.idle_ns,
              acquisitions: unit_sample.acquisitions,
              longest_ns: [unit_sample.longest_hold_ns, unit_sample.running_ns].min,
              in_flight_milli: [unit_sample.in_flight_milli, 1000].max, rest_ns: unit_sample.rest_ns.to_i,
              pool:, lane:, moments: unit_sample.moments)
          end

          # Faster than `initialize`, which `with` would call too, for tens of thousands of units.
          def self.new(arrival_ns:, held_ns:, idle_ns:, acquisitions:, longest_ns: 0, in_flight_milli: 1000,
            rest_ns: 0, group: 0, io: false, slice_ns: 0, pool: 0, before: 0, lane: 0, after: 0, after_ns: 0,
            moments: 0, arriving_ns: 0)
            super
          end

          # The order is that of ReplayEngine::UNIT_WORDS.
          def words
            waits = [acquisitions - moments, idle_ns.zero? ? 0 : 1].max
            [held_ns, idle_ns, acquisitions + 1, waits, longest_ns, in_flight_milli, rest_ns, group,
              io ? 1 : 0, slice_ns, pool, before, lane, after, after_ns, arriving_ns]
          end
        end

        WORDS = "Q<*"

        # @param unit_samples [Array<UnitSample>] all units of a span, with their arrivals
        def self.of(unit_samples)
          arrivals = unit_samples.map { |unit_sample| unit_sample.start_ns - unit_sample.queued_ns.to_i }
          first_ns = arrivals.min.to_i
          new(unit_samples.zip(arrivals).map { |unit, at_ns| TraceUnit.of(unit, at_ns - first_ns) })
        end

        attr_reader :units

        # @param concurrent_units [Trace, nil] see ConcurrentUnits
        def initialize(units, concurrent_units: self.class::NONE)
          @units = units.sort_by(&:arrival_ns).freeze
          @concurrent_units = concurrent_units
        end

        def concurrent_units
          @concurrent_units || self.class::NONE
        end

        # Number of units, without the concurrent ones.
        def size = units.size

        # @return [Array<Integer>] ns, of the units; ascending
        def arrivals
          @arrivals ||= units.map(&:arrival_ns).freeze
        end

        # The units where their arrivals do not count: those of a drawn trace are not made anew.
        def recorded_units = units

        # @return [Array(String, String)] arrivals and words of the units, as ReplayEngine takes them
        def packed
          @packed ||= [arrivals.pack(WORDS), packed_words].freeze
        end

        def map(&)
          Trace.new(units.map(&), concurrent_units:)
        end

        # Each unit with the work before and after it: the same trace for all candidates that are replayed.
        # @param between [Scenario::DispatchCost]
        def with_work(between)
          return self if between == Scenario::DispatchCost::NOTHING
          known, trace = @with_work # of one moment, because several threads replay it
          return trace if known == between
          with_dispatch(between).tap { |made| @with_work = [between, made] }
        end

        # @param factor [Float] 2.0: twice the traffic, the same units in half the time
        def faster(factor)
          map { |unit| unit.with(arrival_ns: (unit.arrival_ns / factor).round) }
        end

        # All units wait from the start, in the same order; concurrent units keep their arrivals.
        def backlog
          @backlog ||= Trace.new(units.each_with_index.map { |unit, index| unit.with(arrival_ns: index) },
            concurrent_units:)
        end

        def first(count)
          Trace.new(units.first(count), concurrent_units:)
        end

        # The concurrent units' time slices times the factor.
        def paced(factor)
          return self if factor == 1 || concurrent_units.size.zero?
          Trace.new(units, concurrent_units: slower(factor))
        end

        # Indices of the units of each pool.
        def pools
          @pools ||= begin
            by_pool = recorded_units.each_index.group_by { |index| recorded_units[index].pool }
            Array.new(by_pool.keys.max.to_i + 1) { |pool| by_pool.fetch(pool, []) }
          end
        end

        private

        def packed_words
          units.each_with_object(String.new(encoding: Encoding::BINARY)) do |unit, words|
            unit.words.pack(WORDS, buffer: words)
          end
        end

        def slower(factor)
          concurrent_units.map { |unit| unit.with(slice_ns: (unit.slice_ns * factor).round) }
        end

        def with_dispatch(between)
          map { |unit| between.around(unit) }
        end
      end

      Trace::NONE = Trace.new([], concurrent_units: nil)

      # A trace of recorded units, most of them drawn several times: all but the arrival of a unit is packed
      # once for all its draws. Replays need only the packed words; TraceUnits are made when something asks.
      class Trace::DrawnTrace < Trace
        attr_reader :arrivals

        # @param patterns [Array<UnitPattern>] of each unit
        # @param arrivals [Array<Integer>] ns, ascending
        def initialize(patterns, arrivals, concurrent_units: NONE)
          @patterns = patterns
          @arrivals = arrivals
          @concurrent_units = concurrent_units
        end

        def units
          @units ||= @patterns.zip(@arrivals).map { |pattern, at_ns| pattern.arriving(at_ns) }.freeze
        end

        def size = @patterns.size

        def recorded_units
          @recorded_units ||= @patterns.map(&:unit).freeze
        end

        def backlog
          @backlog ||= DrawnTrace.new(@patterns, [*0...size], concurrent_units:)
        end

        def first(count)
          DrawnTrace.new(@patterns.first(count), @arrivals.first(count), concurrent_units:)
        end

        def paced(factor)
          return self if factor == 1 || concurrent_units.size.zero?
          DrawnTrace.new(@patterns, @arrivals, concurrent_units: slower(factor))
        end

        private

        def packed_words = @patterns.map(&:words).join

        def with_dispatch(between)
          DrawnTrace.new(@patterns.map { |pattern| pattern.with_work(between) }, @arrivals, concurrent_units:)
        end

        # A TraceUnit without its arrival.
        class UnitPattern
          # `unit`: arrives at 0; `words`: packed
          attr_reader :unit, :words

          # @param unit [TraceUnit] that arrives at 0
          def initialize(unit)
            @unit = unit
            @words = unit.words.pack(Trace::WORDS).freeze
          end

          def arriving(at_ns)
            @unit.with(arrival_ns: at_ns)
          end

          # The pattern of the unit with the work before and after it, see Scenario::DispatchCost.
          def with_work(between)
            known, pattern = @with_work
            return pattern if known == between
            UnitPattern.new(between.around(@unit)).tap { |made| @with_work = [between, made] }
          end
        end
      end
    end
  end
end
