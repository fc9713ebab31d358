# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # When the jobs that wait now would be done, and how long those of each queue would wait, with other
      # threads and processes: a replay of the waiting jobs in the order of their queues, while more arrive as
      # they did. Each waiting job is replayed as one that was recorded of its queue, and of its class where
      # those of the next jobs are known.
      class BacklogCompletion
        THREADS = [1, 2, 5, 10].freeze
        PROCESSES = [1, 2].freeze
        # Fewer are no recording of what jobs take.
        FEWEST_SAMPLES = 50
        # Jobs of a replay, fewer of those that take the GVL often; where more wait, each stands for several.
        UNITS = (1_500..20_000)
        # Jobs that arrive while it lasts; with more, or after these rounds, no end is in sight.
        MOST_ARRIVALS = 60_000
        ROUNDS = 4
        # A shorter wait is no backlog.
        LEAST_NS = 30 * NS

        # Of the jobs of a queue that wait now: `mean_ns`, `last_ns`: until they begin, on average and the
        # last; `done_ns`: until the last ends
        QueueWait = Data.define(:name, :mean_ns, :last_ns, :done_ns)

        # `done_ns`: until all that wait now have ended; nil: no end is in sight, because others arrive as
        # fast. `queues`: Array of QueueWait, without those that have no waiting job
        CompletionTime = Data.define(:candidate, :done_ns, :queues)

        # `jobs`: that wait; `more`: whether more do; `arrival_rate`: jobs per second; `unrecorded`: names of
        # queues of which no job was recorded; `now`: CompletionTime; `times`: Array of CompletionTime, the
        # present setting among them; `pool`: whose threads differ, nil where a process has only one
        BacklogAnswer = Data.define(:at_s, :jobs, :more, :arrival_rate, :unrecorded, :waiting, :now, :times,
          :pool) do
          def initialize(pool: nil, **rest) = super
        end

        # @param recommendation [Recommendation]
        # @param backlog [WaitingBacklog, nil]
        # @return [BacklogCompletion, nil] nil where no jobs wait, or what they would do is unknown
        def self.of(recommendation, backlog = recommendation.recording.waiting)
          return unless backlog&.jobs&.positive? && replayable?(recommendation, backlog)
          recording = recommendation.recording
          demand = recording.demand
          new(backlog, recording.unit_samples, now: recommendation.now, hosts: recording.hosts,
            pools: recording.pools.names, vcpus: recommendation.limits.free_vcpus, cost: demand.cost,
            between: demand.between, handoff_ns: handoff_ns(recommendation))
        end

        def self.replayable?(recommendation, backlog)
          recording = recommendation.recording
          return false if recording.demand.nil? || recommendation.limits.vcpus.nil?
          return false if recording.problems.include?(:unsupported) || !pools_known?(recording.pools, backlog)
          recording.unit_samples.size >= FEWEST_SAMPLES
        end

        # Requests in the same processes are not replayed.
        def self.pools_known?(pools, backlog)
          return backlog.queues.map(&:pool).uniq.size < 2 unless pools.several?
          !pools.concurrent_units? && backlog.queues.all? { |queue| pools.names.include?(queue.pool) }
        end

        # A self-test that fails has no hand-off that can be relied on.
        def self.handoff_ns(recommendation)
          recommendation.reasons.empty? ? recommendation.self_test.handoff_ns : Handoff::USUAL_NS
        end
        private_class_method :replayable?, :pools_known?, :handoff_ns

        # @return [Candidate] the present setting
        attr_reader :now

        # @param backlog [WaitingBacklog]
        # @param unit_samples [Array<UnitSample>] of jobs
        # @param now [Candidate] the present setting
        # @param hosts [Integer] that take jobs from these queues
        # @param pools [Array<String>] of a process, the one whose threads differ first; empty if it has one
        # @param scenario [Hash] vcpus, cost, between, handoff_ns: see Scenario
        def initialize(backlog, unit_samples, now:, hosts: 1, pools: [], seed: 1, **scenario)
          @backlog = backlog
          @unit_samples = unit_samples
          @now = now
          @hosts = hosts
          @pools = pools
          @seed = seed
          @scenario = {assignment: :shared, seed:, lanes: backlog.lanes, **scenario}
        end

        # @return [BacklogAnswer, nil] nil if the jobs would begin soon
        def call
          return if @backlog.lanes.size > ReplayEngine::LANES
          now = time(@now)
          return unless now.done_ns.nil? || now.done_ns >= LEAST_NS
          times = candidates.map { |candidate| (candidate == @now) ? now : time(candidate) }
          waiting = @backlog.queues.select { |queue| queue.size.positive? }
          BacklogAnswer.new(at_s: @backlog.at_s, jobs: @backlog.jobs, more: @backlog.more?,
            arrival_rate: @backlog.arrival_rate, unrecorded: waiting.map(&:name) - samples.keys,
            waiting: waiting.to_h { |queue| [queue.name, queue.size] }, now:, times:, pool: @pools.first)
        end

        # @param candidate [Candidate]
        # @return [CompletionTime]
        def time(candidate)
          horizon_ns = 0
          ROUNDS.times do
            trace = trace(horizon_ns) or break
            result = Replay.call(trace, candidate.scenario(**@scenario))
            found = completion(candidate, result)
            return found if arrivals_per_s.zero? || found.done_ns <= horizon_ns * scale
            horizon_ns = (2 * found.done_ns / scale).round
          end
          CompletionTime.new(candidate:, done_ns: nil, queues: [])
        end

        private

        # The other pools of a process keep their threads.
        def candidates
          others = @now.other_threads.sum
          threads, processes = [THREADS | [@now.caps.first], PROCESSES | [@now.processes]].map(&:sort)
          processes.product(threads).map { |count, own| @now.with(processes: count, threads: own + others) }
        end

        def pool(queue) = @pools.index(queue.pool) || 0

        # Jobs that one of a replay stands for.
        def scale
          @scale ||= [@backlog.jobs.fdiv(most_units * @hosts), 1.0].max
        end

        def most_units
          acquisitions = @unit_samples.sum { |unit| (unit.acquisitions + 1) * unit.weight }
          (Recommendation::HOLDS * @unit_samples.sum(&:weight) / acquisitions).clamp(UNITS)
        end

        def arrivals_per_s = @backlog.arrival_rate / @hosts

        # @return [Trace, nil] of the jobs that wait, and of those that arrive until then; nil: too many do
        def trace(horizon_ns)
          return if arrivals_per_s * horizon_ns / NS > MOST_ARRIVALS
          Trace.new(waiting_units.map(&:last) + arriving_units(horizon_ns))
        end

        # The waiting jobs, in the order of their lanes, 1 ns apart: those of one lane came in any order.
        # @return [Array<Array(String, TraceUnit)>] with the name of their queues
        def waiting_units
          @waiting_units ||= begin
            random = Random.new(@seed)
            by_lane = @backlog.queues.group_by(&:lane).sort.map { |_, same| drawn(same, random) }
            units = by_lane.flatten(1)
            units.shuffle!(random:) if @backlog.lanes.any?(&:positive?)
            units.each_with_index.map do |(queue, unit), index|
              [queue.name, Trace::TraceUnit.of(unit, index, pool: pool(queue), lane: queue.lane)]
            end
          end
        end

        def drawn(queues, random)
          units = queues.flat_map do |queue|
            count = (queue.size / scale / @hosts).ceil
            parts(queue, count).flat_map do |sample, part|
              part.zero? ? [] : sample.spread(part, random).map { |unit| [queue, unit] }
            end
          end
          units.shuffle(random:)
        end

        # The jobs of a queue as its mix has them.
        # @return [Array<(WeightedSample, Integer)>] what to draw from, and how many jobs
        def parts(queue, count)
          return [[sample_of(queue.name), count]] if queue.mix.empty?
          total = queue.mix.values.sum
          before = 0
          drawn = 0
          queue.mix.map do |name, jobs|
            to = (count * (before += jobs)).fdiv(total).round
            part = to - drawn
            drawn = to
            [sample_of_class(queue, name), part]
          end
        end

        # Jobs of a class by that name: where none was recorded in that queue, those of other queues. Where
        # none was recorded at all, as with mails, which have the names of their mailers: those of the queue
        # that have no other name of the mix.
        def sample_of_class(queue, name)
          @of_class ||= {}
          @of_class[[queue.name, name]] ||= begin
            own, others = @unit_samples.partition { |unit| unit.series.queue == queue.name }
            found = [own, others].map { |units| units.select { |unit| unit.series.name == name } }
            rest = own.reject { |unit| queue.mix.key?(unit.series.name) }
            units = [*found, rest].find(&:any?)
            units ? weighted(units) : sample_of(queue.name)
          end
        end

        def arriving_units(horizon_ns)
          random = Random.new(@seed + 1)
          @backlog.queues.flat_map do |queue|
            rate = queue.arrival_rate / @hosts
            rate.positive? ? arriving(queue, rate, horizon_ns, random) : []
          end
        end

        def arriving(queue, rate, horizon_ns, random)
          at_ns = @waiting_units.size
          units = []
          loop do
            at_ns += -Math.log(1 - random.rand) * NS / rate
            return units if at_ns > horizon_ns
            units << Trace::TraceUnit.of(sample_of(queue.name).draw(random), at_ns, pool: pool(queue),
              lane: queue.lane)
          end
        end

        # Jobs of a queue that was not recorded are taken to be like all others.
        def sample_of(queue)
          samples.fetch(queue) { all_samples }
        end

        def samples
          @samples ||= @unit_samples.group_by { |unit| unit.series.queue }.transform_values do |same|
            weighted(same)
          end
        end

        def all_samples = @all_samples ||= weighted(@unit_samples)

        def weighted(units)
          sorted = units.sort_by { |unit| unit.running_ns + unit.idle_ns }
          WeightedSample.new(sorted.map { |unit| [unit, unit.weight] })
        end

        # The waiting jobs are the first of the trace: all others arrive later.
        def completion(candidate, result)
          queued, ends = %i[queued response].map do |column|
            result.column(column).first(waiting_units.size).map { |ns| ns * scale }
          end
          by_queue = waiting_units.each_index.group_by { |index| waiting_units[index].first }
          queues = by_queue.map do |name, units|
            begins, ended = [queued, ends].map { |column| column.values_at(*units) }
            QueueWait.new(name:, mean_ns: (begins.sum / begins.size).round, last_ns: begins.max.round,
              done_ns: ended.max.round)
          end
          CompletionTime.new(candidate:, done_ns: ends.max.round, queues:)
        end
      end
    end
  end
end
