# frozen_string_literal: true

module Holdup
  module Sizing
    # Plays recorded units again on another deployment and sees what becomes of each: the predictor for
    # latencies, where formulas fail because requests are unlike. Deterministic. The simulation itself is C
    # (ext/holdup/replay.h): a million events a second and more.
    #
    # Source: discrete-event simulation of FIFO GVL, time slice and shared CPUs. Predicts mean, p95 and p99 of
    # other thread counts within 3 to 8 % when the number of acquisitions of each unit is known (16 to 24 %
    # without).
    class Replay
      RESULT = "Q<*"
      WORDS = 4

      # @raise [ArgumentError] for a scenario or a trace that can't be
      # @raise [UnsupportedError] without the C extension
      def self.call(trace, scenario)
        unless defined?(ReplayEngine)
          raise UnsupportedError.new("a replay needs the C extension", "run it on CRuby")
        end
        units = whole(trace, scenario.between).bytes + trace.concurrent_units.bytes
        groups = scenario.groups.map(&:words)
        packed, totals = ReplayEngine.simulate(units, groups, **scenario.options, own: trace.size)
        ReplayResult.new(trace:, results: queued(packed.unpack(RESULT), scenario.between), **totals)
      end

      def self.whole(trace, between)
        (between == DispatchCost::NOTHING) ? trace : trace.map { |unit| between.before(unit) }
      end

      # What was before a unit belongs to its being queued, whatever thread did it.
      def self.queued(results, between)
        added_ns = between.own_ns.round
        (0...results.size).step(WORDS) { |at| results[at] += added_ns } if added_ns.positive?
        results
      end
      private_class_method :whole, :queued

      # What became of the units. `results`: queued, stalled, held and response of each, one after the other
      # (ns), concurrent units last (0 where it was not done in time); `handed_ns`: that they waited while the
      # GVL was passed on, all added up; `used_ns`: for each process how long its GVL was held.
      ReplayResult = Data.define(:trace, :results, :elapsed_ns, :cpu_ns, :events, :handed_ns, :used_ns) do
        # @param which [Symbol] :queued :stalled :held :response
        # @return [Array<Integer>] in the order of the trace
        def column(which)
          at = COLUMNS.index(which)
          Array.new(trace.size) { |index| results[index * WORDS + at] }
        end

        # @return [Array<Integer>] likewise of the concurrent units
        def concurrent_column(which)
          at = trace.size * WORDS + COLUMNS.index(which)
          Array.new(trace.concurrent_units.size) { |index| results[at + index * WORDS] }
        end

        # @return [Array<Integer>] units that it had done, concurrent ones included, each with what is in
        #   these columns
        def of_pool(pool, *columns)
          {trace => :column, trace.concurrent_units => :concurrent_column}.flat_map do |units, reader|
            response, *all = [:response, *columns].map { |which| public_send(reader, which) }
            done = units.pools.fetch(pool, []).select { |unit| response[unit].positive? }
            done.map { |unit| all.map { |column| column[unit] } }
          end
        end

        def histogram(which) = Histogram.of(column(which))

        # @return [Float] ns
        def mean(which) = column(which).sum.fdiv(trace.size)

        # What users feel of waiting: for a thread, and for the GVL.
        def waits
          column(:queued).zip(column(:stalled)).map(&:sum)
        end

        # @return [Float] ns of a unit's stall, on average, that nobody held the GVL
        def handoff_ns = handed_ns / trace.size

        # @return [Float] units per second
        def throughput = trace.size * 1e9 / elapsed_ns

        # @param span [Range<Integer>] ns
        # @param units [Array<Integer>] which of them, by their place in the trace
        # @return [Array<Integer>] those that ended in it, of units that all came at the start (Trace#backlog)
        def ended(span, units = [*0...trace.size])
          ends = column(:response)
          units.select { |unit| ends[unit] > span.begin && ends[unit] <= span.end }
        end

        # @param edge [Float] share of the units that is left out at either end
        # @return [Range<Integer>] ns: when the others ended, likewise
        def steady_span(edge)
          ends = column(:response).sort
          ends[(ends.size * edge).floor]..ends[(ends.size * (1 - edge)).floor]
        end

        # @return [Float] share of the time that the GVLs were held, on average
        def utilisation
          used_ns.sum / used_ns.size / elapsed_ns
        end

        # @return [Float] CPUs in use
        def cpus = cpu_ns / elapsed_ns
      end

      COLUMNS = %i[queued stalled held response].freeze
    end
  end
end
