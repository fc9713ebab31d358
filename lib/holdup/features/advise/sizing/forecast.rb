# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Predicts a candidate at peak load: its ceiling by formula, waits and times by replay.
      class Forecast
        PERCENTILES = [0.5, 0.95, 0.99].freeze
        # A server gives a new connection to its least busy process, but the requests of a connection that is
        # kept stay where they are: the truth lies between these two ways. Threads take jobs.
        ASSIGNMENTS = {request: %i[random least_busy], job: %i[shared]}.freeze
        SERVED = 0.95

        # What a candidate would do at peak load. It has no times if a guard rejects it before a replay.
        #
        # - `ceiling`: units per second at most; `utilisation`: of each GVL at peak; `cpus`: in use
        # - `queued_ns`, `stalled_ns`, `response_ns`: means; `responses` and `waits` (queued + stalled): {0.5
        #   => ns, 0.95 => ns ...}
        # - `handoff_ns`: part of stalled_ns while the GVL was passed on
        # - `assignments`: how units came to processes; times are the mean of all; `guards`: Array of
        #   Guards::Violation
        Prediction = Data.define(
          :candidate, :ceiling, :utilisation, :memory_bytes, :connections, :guards, :assignments, :cpus,
          :queued_ns, :stalled_ns, :handoff_ns, :response_ns, :responses, :waits
        ) do
          def initialize(assignments: [], cpus: nil, queued_ns: nil, stalled_ns: nil, handoff_ns: nil,
            response_ns: nil, responses: {}, waits: {}, **rest)
            super
          end

          def allowed? = guards.empty?

          def replayed? = assignments.any?

          # @return [Float, nil] ns: mean wait that users feel
          def wait_ns
            queued_ns && queued_ns + stalled_ns
          end
        end

        # @param population [Integer, nil] units of a host in the system, whose arrivals wait for answers
        # @param think_ns [Numeric] for which each of them is away before it comes again, on average;
        #   `answer_ns`: for which they wait when a replay begins
        # @param assignments [Array<Symbol>] how units may come to one of several processes
        def initialize(demand:, guards:, limits:, current:, rate:, slo:, kind: :request,
          handoff_ns: Handoff::USUAL_NS, population: nil, think_ns: 0, answer_ns: 0,
          assignments: ASSIGNMENTS.fetch(kind))
          @demand = demand
          @guards = guards
          @limits = limits
          @current = current
          @rate = rate
          @percentiles = [*PERCENTILES, slo.percentile].uniq
          @kind = kind
          @handoff_ns = handoff_ns
          @population = population
          @think_ns = think_ns
          @answer_ns = answer_ns
          @assignments = assignments
        end

        # @param force [Boolean] replay it although a guard rejects it
        # @param counted [Array<Integer>, nil] units of the trace that times are of; nil: all
        def call(candidate, trace, force: false, counted: nil)
          trace = paced(trace, candidate)
          cheap = estimated(candidate, trace)
          ((cheap.allowed? || force) && served?(cheap)) ? played(cheap, trace, counted) : cheap
        end

        # @param trace [Trace, nil] at that rate: no formula knows the ceiling of pools that share a GVL
        def estimate(candidate, trace = nil)
          estimated(candidate, trace && paced(trace, candidate))
        end

        private

        def estimated(candidate, trace)
          ceiling = ceiling(candidate, trace)
          held = @rate * @demand.held_ns.fdiv(NS) / candidate.groups.sum(&:processes)
          Prediction.new(candidate:, ceiling:, utilisation: [held, 1.0].min,
            guards: guards(candidate, ceiling, trace),
            memory_bytes: @limits.memory(candidate, current: @current),
            connections: @limits.connections_of(candidate))
        end

        # Pools that share a GVL have no ceiling that a formula knows.
        def guards(candidate, ceiling, trace)
          return @guards.call(candidate) if candidate.concurrent_threads.empty?
          @guards.call(candidate, ceiling, now: now_ceiling(trace))
        end

        # The ceiling of the present setting, with the same units.
        def now_ceiling(trace)
          @now_ceilings ||= {}.compare_by_identity
          @now_ceilings[trace] ||= ceiling(@current, trace)
        end

        # The environment changes all threads' time slices.
        def paced(trace, candidate)
          trace.paced(candidate.time_slice_ns.fdiv(@current.time_slice_ns))
        end

        def ceiling(candidate, trace)
          return @guards.ceiling(candidate) unless trace && candidate.shared?
          Saturation.throughput(trace, scenario(candidate, :shared, @rate))
        end

        # @param served [Float] units per second
        def scenario(candidate, assignment, served)
          candidate.scenario(vcpus: @limits.free_vcpus(served), cost: @demand.cost, between: @demand.between,
            handoff_ns: @handoff_ns, assignment:)
        end

        # Jobs that arrive faster than they end wait without limit: no figure describes that.
        def served?(cheap)
          @kind == :request || @population || @rate < SERVED * cheap.ceiling
        end

        def played(cheap, trace, counted)
          assignments = @assignments
          assignments = assignments.last(1) if cheap.candidate.groups.all? { |group| group.processes == 1 }
          figures = assignments.map { |assignment| play(cheap, trace, assignment, counted) }
          cheap.with(assignments:, **(figures.one? ? figures.first : middle(figures)))
        end

        def play(cheap, trace, assignment, counted)
          served = [offered, cheap.ceiling].min
          outcome = replayed(trace, scenario(cheap.candidate, assignment, served))
          queued, stalled, response = %i[queued stalled response].map do |name|
            column = outcome.column(name)
            counted ? column.values_at(*counted) : column
          end
          waits = queued.zip(stalled).map(&:sum)
          {cpus: outcome.cpus, utilisation: outcome.utilisation,
           queued_ns: mean(queued), stalled_ns: mean(stalled), handoff_ns: outcome.handoff_ns,
           response_ns: mean(response), responses: percentiles(response), waits: percentiles(waits)}
        end

        # @return [Numeric] units per second that come at the most
        def offered
          return @rate unless @population
          @think_ns.zero? ? Float::INFINITY : @population * NS / @think_ns
        end

        # @param figures [Array<Hash>] of several replays, with the same keys
        # @return [Hash] the mean of each
        def middle(figures)
          figures.first.to_h do |name, value|
            values = figures.map { |each| each.fetch(name) }
            [name, value.is_a?(Hash) ? middle(values) : mean(values)]
          end
        end

        def replayed(trace, scenario)
          return Replay.call(trace, scenario) unless @population
          Replay.closed(trace, scenario, @population, think_ns: @think_ns, answer_ns: @answer_ns)
        end

        def mean(values)
          values.sum.fdiv([values.size, 1].max)
        end

        def percentiles(values)
          sorted = values.sort
          @percentiles.to_h { |share| [share, sorted[((sorted.size - 1) * share).round].to_i] }
        end

        # Highest throughput of processes with several pools: the first full pool bounds all of them, as with
        # processes of their own (Guards::SplitGuards). But pools share a GVL, so their capacity depends on
        # each other's load and needs a replay: a new unit comes when another one is done. Nearly all that
        # wait then wait for the fullest pool.
        class Saturation
          # Units of each replay, equal for all candidates.
          UNITS = 4_000
          # Units in flight for each thread.
          CROWD = 4

          def self.throughput(trace, scenario)
            new(trace.backlog.first(UNITS), scenario).throughput
          end

          def initialize(trace, scenario)
            @units = trace.recorded_units
            most = scenario.groups.sum { |group| CROWD * group.processes * group.threads }
            @outcome = Replay.call(trace, scenario.with(most:))
          end

          # The fullest pool decides: the others exceed their part of the mix until its queue is that long.
          def throughput
            span = @outcome.steady_span(PoolThroughput::BacklogReplay::EDGE)
            fullest = fullest()
            @outcome.ended(span, fullest).size * @units.size.fdiv(fullest.size) * NS / (span.end - span.begin)
          end

          private

          def fullest
            queued = @outcome.column(:queued)
            pools = @units.each_index.group_by { |index| [@units[index].group, @units[index].pool] }.values
            pools.max_by { |units| queued.values_at(*units).sum.fdiv(units.size) }
          end
        end
      end
    end
  end
end
