# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # A deployment for a trace: groups of processes (one, unless an endpoint has its own) on a container.
      #
      # - `vcpus`: may be a fraction; `cost`, `between`: see ServiceDemand
      # - `handoff_ns`: of one hand-off, or of those with 1, 2, ... waiting threads, see Handoff
      # - `most`: units in flight at most, the next one comes when one of them ends; 0: any number.
      #   `think_ns`: as much later, on average; `most` is the number of users then. `answer_ns`: for which
      #   they wait when the replay begins
      # - `assignment`: of arriving units: `:random` (the kernel among listening workers), `:least_busy`, or
      #   `:shared` (one queue for free threads, as in job runners); `concurrent_assignment`: likewise, of
      #   ConcurrentUnits
      # - `lanes`: of a shared queue, the weight of each: a free thread takes from the first that has a unit
      #   where all are 0, else from any, as often as its weight says
      Scenario = Data.define(
        :groups, :vcpus, :handoff_ns, :cost, :between, :assignment, :concurrent_assignment, :seed, :most,
        :think_ns, :answer_ns, :lanes
      ) do
        def initialize(groups:, vcpus:, handoff_ns: Handoff::USUAL_NS, cost: CoherencyCost::CONSTANT,
          between: Scenario::DispatchCost::NOTHING, assignment: :least_busy,
          concurrent_assignment: (assignment == :shared) ? :least_busy : :shared, seed: 1, most: 0,
          think_ns: 0, answer_ns: 0, lanes: [0])
          unknown = [assignment, concurrent_assignment] - self.class::ASSIGNMENTS
          if unknown.any?
            raise ArgumentError,
              "assignment is one of #{self.class::ASSIGNMENTS.join(", ")}, not #{unknown.first.inspect}"
          end
          super
        end

        def self.of(processes:, threads:, vcpus:, io_threads: 0, time_slice_ns: self::TIME_SLICE_NS,
          other_threads: [], **options)
          group = self::ProcessGroup.new(processes:, threads:, io_threads:, time_slice_ns:, other_threads:)
          new(groups: [group], vcpus:, **options)
        end

        def options
          {vcpus:, handoff_ns: Array(handoff_ns), **cost.to_h, rest_half_ns: CoherencyCost::HALF_NS,
           assignment:, others_assignment: concurrent_assignment, seed:, limit: most, think_ns:,
           answer_ns:, lanes:}
        end
      end

      # Processes that are alike: threads of each, how many more may take units that mostly wait
      # (`io_threads`), and how long a thread may hold the GVL when others want it (100 ms; Thread#priority
      # and RUBY_THREAD_TIMESLICE change it). `other_threads`: threads of further pools, which take other
      # units (see ThreadPools).
      Scenario::ProcessGroup = Data.define(:processes, :threads, :io_threads, :time_slice_ns,
        :other_threads) do
        def initialize(processes:, threads:, io_threads: 0, time_slice_ns: Scenario::TIME_SLICE_NS,
          other_threads: [])
          if threads <= other_threads.sum
            raise ArgumentError,
              "other pools have #{other_threads.sum} of #{threads} threads: that leaves none"
          end
          super
        end

        # ReplayEngine takes these. A slice ends with a tick: one of 15 ms is as long as one of 20 ms.
        def words
          tick_ns = Scenario::ThreadPriority::TICK_NS
          slice_ns = time_slice_ns.ceildiv(tick_ns) * tick_ns
          [processes, threads - other_threads.sum, io_threads, slice_ns, *other_threads]
        end
      end

      Scenario::TIME_SLICE_NS = 100_000_000
      Scenario::ASSIGNMENTS = %i[random least_busy shared].freeze

      # Effect of Thread#priority on a thread's time slice: each step below 0 halves it, each above doubles
      # it. The VM checks every 10 ms. Source: rb_thread_schedule_limits in thread.c.
      module Scenario::ThreadPriority
        TICK_NS = 10_000_000

        # @param slice_ns [Integer] of a thread with priority 0
        # @return [Integer] ns, whole ticks
        def self.slice_ns(slice_ns, priority)
          [(slice_ns * 2.0**priority / TICK_NS).ceil, 1].max * TICK_NS
        end
      end

      class Scenario
        # Mean cost between one unit and the next: a server accepts and reads a request, hands it to a thread
        # and cleans up; a job runner fetches a job and reports it. It is outside every unit, but holds the
        # GVL and keeps a thread. `held_ns`: time holding the GVL, in any thread; `idle_ns`: neither holding
        # nor wanting it, while a unit waits for a thread; `acquisitions`: of the GVL; `after`: share of
        # held_ns that comes when the unit has ended, in one hold; `arriving_ns`: part of idle_ns that passes
        # while the unit waits for a thread (a request is sent, and its connection is opened), so that it is
        # shorter for one that waits.
        DispatchCost = Data.define(:held_ns, :idle_ns, :acquisitions, :after, :arriving_ns) do
          def initialize(held_ns:, idle_ns:, acquisitions:, after: 0.0, arriving_ns: 0)
            super
          end

          # @return [Numeric] ns for which it keeps a thread
          def own_ns = held_ns + idle_ns

          # @return [Numeric] ns by which a unit reaches its thread later
          def before_ns = held_ns * (1 - after) + idle_ns

          # The unit with the work before it, in which it is not yet in flight, and after it. A replay takes
          # the GVL once more when it takes the unit: that is one of these acquisitions. With fewer than one
          # for each unit, some units begin in the hold in which their thread ended the last one.
          def around(unit)
            ending = ending(draw(unit))
            count = (acquisitions + draw(unit)).floor - ending.fetch(:after)
            more = acquisitions.positive? ? count - 1 : 0
            all = [unit.acquisitions + more, 0].max
            unit.with(held_ns: unit.held_ns + (held_ns * (1 - after)).round,
              idle_ns: unit.idle_ns + idle_ns.round, acquisitions: all, before: [count, all].min,
              arriving_ns: arriving_ns.floor, **ending)
          end

          private

          # @return [Hash{Symbol => Integer}] of a TraceUnit
          def ending(chance)
            return {after: 0, after_ns: 0} if after.zero? || acquisitions + chance < 1
            {after: 1, after_ns: (held_ns * after / [acquisitions, 1].min).round}
          end

          # @return [Float] 0.0...1.0, equally often for unlike units, and always the same for one: the
          #   microseconds of its times below a millisecond
          def draw(unit)
            micros = (unit.held_ns + unit.idle_ns) / self.class::MICROSECOND_NS
            (micros % self.class::DRAWS).fdiv(self.class::DRAWS)
          end
        end

        DispatchCost::MICROSECOND_NS = 1_000
        DispatchCost::DRAWS = 1_000
        DispatchCost::NOTHING = DispatchCost.new(held_ns: 0, idle_ns: 0, acquisitions: 0)
      end
    end
  end
end
