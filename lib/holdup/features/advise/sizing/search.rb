# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Predictions of all candidates at one load; of the best, also with other time slices and threads for
      # io.
      class Search
        # The number of best candidates that are tried with other time slices.
        SETTLED = 3

        # A way in which the units of a recording may have come. `assignment`: see Forecast; `users`,
        # `population` and `handoffs`: see Search#initialize
        ArrivalWay = Data.define(:assignment, :users, :population, :handoffs) do
          # @return [Array<Numeric>] pauses that fit
          def thinks_ns
            users ? users.thinks_ns : [0]
          end
        end

        # @param rate [Float] units per second and host; `units`: of each replay
        # @param population [Numeric, nil] units of a host in the system, see ClosedLoad; nil: they arrive on
        #   their own. `users`: ClosedLoad::ThinkingUsers who sent them, nil: the next one comes at once
        # @param handoffs [Array<Numeric, Array<Numeric>>] see Handoff, likely ones, the likeliest first
        # @param assignments [Array<Symbol>] see Forecast
        # @param others [Array<ArrivalWay>] that the recording does not exclude
        # @param demand [ServiceDemand] of a mean unit at the peak
        # @param served [Float] units per second of a host that the present setting served at its peak
        # @param constant_load [Boolean] see Guards
        def initialize(recording, traffic:, now:, limits:, slo:, rate:, units:, handoffs:, seed:,
          assignments:, population: nil, users: nil, others: [], demand: recording.demand,
          served: traffic.peak_rate, constant_load: false, cpus: Replay.half_of_cpus)
          @recording = recording
          @demand = demand
          @traffic = traffic
          @now = now
          @limits = limits
          @slo = slo
          @rate = rate
          @units = units
          @handoffs = handoffs
          @seed = seed
          @population = population
          @users = users
          @assignments = assignments
          @others = others
          @cpus = cpus
          @served = served
          @constant_load = constant_load
        end

        def predictions
          @predictions ||= (grid + slices + io).sort_by do |prediction|
            candidate = prediction.candidate
            [candidate.threads, candidate.processes, -candidate.time_slice_ns, candidate.io_threads]
          end
        end

        # A prediction of any candidate, even if a guard rejects it.
        def of(candidate)
          forecast.call(candidate, trace(candidate), force: true)
        end

        # The trace of a part's load, as that candidate takes it.
        # @param draw [Hash] see Traffic#peak
        def drawn(part, candidate, **draw)
          draw = {**draw, even: ways.any?(&:users)}
          trace = part.peak(**draw)
          candidate.io_threads.positive? ? io_units.marked(trace, part.drawn(**draw)) : trace
        end

        # A forecast for this recording, or for a changed one.
        # @param parts [Array<(ServiceDemand, Float)>] of groups of processes that take different units, and
        #   their share of the units
        # @param round [Integer, nil] of a bootstrap. Which way units come (also to one of several processes)
        #   is not known, nor which of the likely hand-offs they have, nor how long users think: rounds take
        #   them in turns, so that an interval contains each; nil: the middle of all assignments, the
        #   likeliest of the others
        def forecast(demand: @demand, rate: @rate, limits: @limits, parts: [], round: nil)
          way = round ? way(round) : ways.first
          handoff_ns = handoff_ns(round)
          demand = demand.with(handoff_ns:)
          parts = parts.map { |own, share| [own.with(handoff_ns:), share] }
          guards = guards(demand, limits, rate)
          guards = Guards::SplitGuards.new(guards, split_parts(parts, limits, rate)) if parts.any?
          think_ns = think_ns(round)
          Forecast.new(demand:, guards:, limits:, current: @now, rate:, slo: @slo, kind: @recording.kind,
            handoff_ns:, population: population(way, rate, think_ns), think_ns:,
            answer_ns: way.users ? way.users.response_ns : 0,
            assignments: round ? [way.assignment] : @assignments)
        end

        # What a round of a bootstrap assumes, see forecast.
        # @return [Array<Object>]
        def assumption(round) = [way(round), handoff_ns(round), think_ns(round)]

        # Throughput of each pool while all have work; if requests and jobs share processes, at this load.
        def pools_of(candidate)
          @traffic.concurrent_units ? load.call(candidate, @now) : backlog.call(candidate)
        end

        private

        # The likely ways come first.
        def ways
          @ways ||= begin
            likely = @assignments.map do |assignment|
              ArrivalWay.new(assignment:, users: @users, population: @population, handoffs: @handoffs)
            end
            likely + @others
          end
        end

        def way(round)
          ways[round % ways.size]
        end

        # Rounds try each hand-off in each way.
        def handoff_ns(round)
          return @handoffs.first unless round
          handoffs = way(round).handoffs
          handoffs[round / ways.size % handoffs.size]
        end

        # Rounds try each pause in each way, with each hand-off.
        def think_ns(round)
          return ways.first.thinks_ns.first unless round
          way = way(round)
          way.thinks_ns[round / ways.size / way.handoffs.size % way.thinks_ns.size]
        end

        def split_parts(parts, limits, rate)
          parts.map do |demand, share|
            Guards::SplitGuards::SplitPart.new(guards: guards(demand, limits, rate * share), share:)
          end
        end

        # The number grows with the traffic.
        def population(way, rate, think_ns)
          return way.users.count(rate, think_ns) if way.users
          way.population && [(way.population * rate / @rate).round, 1].max
        end

        # Jobs wait in a queue, and arrivals that wait for answers never come faster than they are served: a
        # rate limits neither.
        def guards(demand, limits, rate)
          offered = (@recording.kind == :job || @population) ? 0.0 : rate
          served = [@demand.with(handoff_ns: demand.handoff_ns), @limits]
          recorded = new_guards(*served, offered) unless served == [demand, limits]
          new_guards(demand, limits, offered, recorded:)
        end

        def new_guards(demand, limits, rate, **recorded)
          Guards.new(demand, limits:, rate:, current: @now, kind: @recording.kind, served: @served,
            concurrent_load: @traffic.concurrent_load, constant_load: @constant_load, **recorded)
        end

        def backlog
          @backlog ||= PoolThroughput::AtBacklog.new(@traffic, seed: @seed, **machine)
        end

        def load
          @load ||= PoolThroughput::AtPeak.new(@traffic, draw: {seed: @seed, rate: @rate, units: @units},
            assignment: Forecast::ASSIGNMENTS.fetch(@recording.kind).last, **machine)
        end

        def machine
          {vcpus: @limits.free_vcpus(@rate), between: @demand.between, cost: @demand.cost,
           handoff_ns: @handoffs.first}
        end

        def grid
          @grid ||= begin
            grid = CandidateGrid.new(@demand, current: @now, vcpus: @limits.vcpus,
              threaded: @recording.threaded?)
            predict(grid.to_a)
          end
        end

        def slices
          return [] unless @recording.slices?
          predict(CandidateGrid.slices(settled))
        end

        def io
          return [] unless @recording.io_threads?
          predict(io_units.candidates(settled, @rate))
        end

        def io_units
          @io_units ||= IoUnits.new(@traffic.unit_samples)
        end

        def settled
          @settled ||= begin
            allowed = grid.select { |prediction| prediction.allowed? && prediction.replayed? }
            best = allowed.min_by(SETTLED) { |prediction| prediction.waits[@slo.percentile] }
            [@now, *best.map(&:candidate)].uniq
          end
        end

        def predict(candidates)
          @forecast ||= forecast
          traces = candidates.to_h { |candidate| [candidate, trace(candidate)] }
          Replay.at_once(candidates, cpus: @cpus) do |candidate|
            @forecast.call(candidate, traces.fetch(candidate), force: candidate == @now)
          end
        end

        def trace(candidate)
          @traces ||= {}
          @traces[candidate.io_threads.positive?] ||=
            drawn(@traffic, candidate, seed: @seed, rate: @rate, units: @units)
        end

        # Deployments to try: threads up to twice what saturates a GVL, processes up to the vCPUs (half as
        # many again with one thread, since such a process is idle whenever its unit waits). For
        # single-threaded servers, enough processes to use all vCPUs, and one more each.
        class CandidateGrid
          MOST_THREADS = 32
          ALONE = 1.5
          # Numbers of processes to try. Above 8 not every one: 21 and 22 differ too little.
          STEPS = [*1..8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128].freeze
          SLICES_NS = [50_000_000, 20_000_000, 10_000_000].freeze

          # @param threaded [Boolean] whether the server can have other numbers of threads
          def initialize(demand, current:, vcpus:, threaded: true)
            @demand = demand
            @current = current
            @vcpus = vcpus
            @threaded = threaded
          end

          # @return [Array<Candidate>] including the current one
          def to_a
            threads.flat_map { |count|
              processes(count).map { |number| @current.with(threads: count, processes: number) }
            }
          end

          # The same candidates with other time slices, tried after threads and processes: Ruby 3.4 and later.
          def self.slices(settled)
            settled.product(SLICES_NS).map { |candidate, slice|
              candidate.with(time_slice_ns: slice)
            } - settled
          end

          private

          # Other pools keep their threads.
          def threads
            return [@current.threads] unless @threaded
            most = (2 * saturation + 1).clamp(1, MOST_THREADS)
            [*(1..most).map { |own| own + @current.other_threads.sum }, @current.threads].uniq.sort
          end

          def processes(threads)
            most = [most_processes(threads), 1].max
            counts = [*STEPS.select { |step| step <= most }, most]
            counts << @current.processes if threads == @current.threads || @current.processes <= most
            counts.uniq.sort
          end

          def most_processes(threads)
            return (@vcpus * (saturation + 1)).ceil unless @threaded
            (threads == 1) ? (@vcpus * ALONE).floor : @vcpus.ceil
          end

          def saturation
            ClosedModel.new(@demand).saturation
          end
        end
      end
    end
  end
end
