# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # `throughput`: units per second of all processes; `stalled_ns`, `wall_ns`: mean of a unit;
      # `wall_p95_ns`: 95th percentile
      PoolThroughput = Data.define(:threads, :throughput, :stalled_ns, :wall_ns, :wall_p95_ns) do
        # @param stalls [Array<Numeric>] ns of each unit; `walls`: likewise, elapsed
        def self.of(stalls, walls, **figures)
          count = walls.size
          new(stalled_ns: stalls.sum.fdiv(count), wall_ns: walls.sum.fdiv(count),
            wall_p95_ns: walls.sort[((count - 1) * 0.95).round], **figures)
        end
      end

      # Throughput of each pool of a process while all have work: pools share a GVL, so one takes from the
      # others. A process without several pools has one.
      class PoolThroughput::AtBacklog
        # Units of each pool. When the first pool has nearly none left, the rest is not evaluated.
        UNITS = 4_000

        # @param scenario [Hash] vcpus, between, cost, handoff_ns: see Scenario
        def initialize(traffic, seed: 1, **scenario)
          @traffic = traffic
          @scenario = {assignment: :shared, seed:, **scenario}
          @seed = seed
        end

        # @return [Array<PoolThroughput, nil>] of each pool; nil if no unit of it was recorded
        def call(candidate)
          outcome = Replay.call(trace, candidate.scenario(**@scenario))
          ends = outcome.column(:response)
          to = trace.pools.reject(&:empty?).map { |units| nearly_last(ends.values_at(*units)) }.min
          span = ((PoolThroughput::BacklogReplay::EDGE * to)..to)
          candidate.caps.each_with_index.map do |threads, pool|
            figures(outcome, threads, outcome.ended(span, trace.pools.fetch(pool, [])), span)
          end
        end

        private

        def nearly_last(ends)
          ends.sort[(ends.size * (1 - PoolThroughput::BacklogReplay::EDGE)).floor]
        end

        def figures(outcome, threads, units, span)
          return if units.empty?
          queued, stalls, responses = %i[queued stalled response].map do |name|
            outcome.column(name).values_at(*units)
          end
          PoolThroughput.of(stalls, responses.zip(queued).map { |all, before| all - before }, threads:,
            throughput: units.size * 1e9 / (span.end - span.begin))
        end

        # 1 ns apart, one pool after the other: each has its own queue.
        def trace
          @trace ||= begin
            pools = [@traffic.pools.names.size, 1].max
            drawn = Array.new(pools) { |pool| drawn(pool) }.flatten(1)
            units = drawn.each_with_index.map { |(unit_sample, pool), at|
              Trace::TraceUnit.of(unit_sample, at,
                pool:)
            }
            Trace.new(units)
          end
        end

        def drawn(pool)
          own = @traffic.map { |unit_sample| unit_sample if @traffic.pools.index(unit_sample) == pool }
          own.empty? ? [] : own.drawn(seed: @seed, units: UNITS).map { |unit_sample| [unit_sample, pool] }
        end
      end

      # Each pool at peak load where requests and jobs share processes: requests do not always have work,
      # unlike a job runner's pools (PoolThroughput::AtBacklog), so both kinds are replayed as they arrive.
      class PoolThroughput::AtPeak
        # @param draw [Hash] rate, units and seed: see Traffic#peak
        # @param scenario [Hash] vcpus, between, cost, handoff_ns, assignment: see Scenario
        def initialize(traffic, draw:, **scenario)
          @trace = traffic.peak(**draw)
          @scenario = {seed: draw[:seed], **scenario}
        end

        # @param now [Candidate] the recorded one
        # @return [Array<PoolThroughput, nil>] of each pool; nil if it ended no unit
        def call(candidate, now)
          trace = @trace.paced(candidate.time_slice_ns.fdiv(now.time_slice_ns))
          outcome = Replay.call(trace, candidate.scenario(**@scenario))
          candidate.caps.each_with_index.map do |threads, pool|
            figures(outcome, threads, outcome.of_pool(pool, :stalled, :queued, :response))
          end
        end

        private

        def figures(outcome, threads, units)
          return if units.empty?
          stalls = units.map(&:first)
          walls = units.map { |_, queued, response| response - queued }
          PoolThroughput.of(stalls, walls, threads:, throughput: units.size * 1e9 / outcome.elapsed_ns)
        end
      end

      class PoolThroughput
        # Throughput of threads that always have work, such as a job runner's with a long queue: replays the
        # recorded units as if all had come at once. It is more exact than the closed model for unlike jobs.
        # Every unit is replayed equally often, so that their mean is that of the recording.
        class BacklogReplay
          UNITS = 8_000
          # Left out at either end: all threads begin at once, and at the end some have no work.
          EDGE = 0.1

          # @param unit_samples [Array<UnitSample>] each stands for as many units
          def initialize(unit_samples, vcpus:, between: Scenario::DispatchCost::NOTHING,
            cost: CoherencyCost::CONSTANT, handoff_ns: Handoff::USUAL_NS, seed: 1)
            @unit_samples = unit_samples
            @between = between
            @cost = cost
            @vcpus = vcpus
            @handoff_ns = handoff_ns
            @seed = seed
          end

          # @return [Float] units per second with `threads` of each process
          def throughput(threads:, processes: 1)
            outcome = play(threads, processes)
            span = outcome.steady_span(EDGE)
            outcome.ended(span).size * NS.fdiv(span.end - span.begin)
          end

          def waits(threads:, processes: 1)
            outcome = play(threads, processes)
            Handoff::HandoffTimes.new(handoff_ns: outcome.handoff_ns, wait_ns: outcome.mean(:stalled))
          end

          private

          def play(threads, processes)
            scenario = Scenario.of(processes:, threads:, vcpus: @vcpus, cost: @cost, between: @between,
              handoff_ns: @handoff_ns, assignment: :shared, seed: @seed)
            Replay.call(trace, scenario)
          end

          # Arrivals are 1 ns apart: their order affects the result.
          def trace
            @trace ||= begin
              random = Random.new(@seed)
              times = (UNITS / @unit_samples.size.to_f).ceil
              unit_samples = Array.new(times) { @unit_samples.shuffle(random:) }.flatten(1)
              Trace.new(unit_samples.each_with_index.map { |unit_sample, index|
                Trace::TraceUnit.of(unit_sample, index)
              })
            end
          end
        end
      end
    end
  end
end
