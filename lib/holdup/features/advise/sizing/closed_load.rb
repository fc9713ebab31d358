# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # The part of a recording in which arrivals waited for answers: a load test with a number of
      # connections, or threads that were all busy all the time. The next unit began when one ended, so the
      # number of units in the system stayed what it was, and the rate at which they came says nothing about
      # how many would come to a faster deployment.
      #
      # A cell of a few seconds is closed if most units found the same number of others there, and there was
      # nearly always one. Of arrivals that do not depend on ends (Poisson's, with n of them on average in the
      # system), at most a quarter find one number if n is so large that the system is rarely empty.
      #
      # Requests wait in the system, from their arrival on; jobs wait in a queue elsewhere, and arrive when a
      # thread takes them.
      class ClosedLoad
        CELL_S = 5
        # A cell with fewer units says nothing.
        FEWEST = 5
        # Share of a cell's units, without two of them, that found the same number of others: few units look
        # alike by chance.
        SAME = 0.6
        CHANCE = 2
        # Share of a cell in which no unit was there.
        EMPTY = 0.1
        # Share of the units that came in closed cells from which the whole recording counts as closed.
        MOST = 0.5
        # Units from which the throughput of a saturated setting is known to a few percent.
        SATURATED = 200
        # Units replayed for each of a population, so that the few at the end hardly count.
        LEAST = 10
        # Share of the units that find all other threads of their process busy from which several processes
        # are saturated: units don't go to them in turn, so some threads have none while others have several.
        # Where that happens to one in ten, 5 threads serve at most 2 % less.
        FULL = 0.9
        # Mean weight from which too few single units are recorded to see who began when another one ended.
        SAMPLED = 1.05

        # `population`: units of a host that were there or waited for a thread; `cell`: number of 5 s since
        # 1970; `steady`: those of its units that found all others of the population
        ClosedCell = Data.define(:host, :cell, :population, :unit_samples, :steady)
        # All times with that population; `unit_samples`: units that came then; `seconds`: how long
        ClosedLevel = Data.define(:population, :unit_samples, :seconds) do
          def weight = unit_samples.sum(0.0, &:weight)

          # @return [Float] units per second of a host
          def throughput = weight / seconds

          # @param between_ns [Numeric] for which a thread is busy between units
          # @return [Float] mean number of busy threads of a host, by Little's law
          def busy(between_ns)
            wall_ns = WeightedSample.mean(unit_samples.map { |unit| [unit.wall_ns, unit.weight] })
            throughput * (wall_ns + between_ns) / NS
          end

          # @return [Boolean] whether units found all other threads of their process busy
          def full?(threads)
            unit_samples.count { |unit| unit.concurrency.to_i >= threads - 1 } >= FULL * unit_samples.size
          end
        end
        # Throughput of a host (units per second) while all threads had units; of how many units that is; the
        # variance of that number because only some are recorded, as a share of its square
        SaturatedThroughput = Data.define(:throughput, :units, :sampling) do
          # @param some [Array<UnitSample>]
          # @param seconds [Float] for which a host had them
          def self.of(some, seconds)
            units = some.sum(0.0, &:weight)
            noise = some.sum { |unit| unit.weight * [unit.weight - 1, 0.0].max }
            new(throughput: units / seconds, units:, sampling: noise / units**2)
          end

          # @param cv2 [Float] of a unit's own time
          # @return [Float] share by which chance alone changes it, in 90 % of cases
          def chance(cv2)
            1.645 * Math.sqrt(cv2 / units + sampling)
          end
        end

        # @param unit [UnitSample]
        # @return [Integer] ns that it waited in the system for a thread
        def self.queued_ns(unit)
          (unit.series.kind == :job) ? 0 : unit.queued_ns.to_i
        end

        # @param unit_samples [Array<UnitSample>] of one kind
        def initialize(unit_samples)
          @unit_samples = unit_samples
        end

        # Whether it is of several pools, see FullPools.
        def pools? = false

        # @return [Array<ClosedCell>]
        def cells
          @cells ||= lasting(@unit_samples.group_by(&:host).flat_map { |host, units| cells_of(host, units) })
        end

        def closed?
          return @closed if defined?(@closed)
          all = weight(@unit_samples)
          @closed = all.positive? && cells.sum(0.0) { |cell| weight(cell.unit_samples) } >= MOST * all
        end

        # @return [Array<ClosedLevel>] smallest population first
        def levels
          @levels ||= steps.group_by(&:population).sort.map do |population, same|
            ClosedLevel.new(population:, unit_samples: same.flat_map(&:unit_samples),
              seconds: same.sum(&:seconds))
          end
        end

        # Few units of a sample may look as if there always was one.
        # @param slots [Integer] units that threads of a host can have at once
        # @param between_ns [Numeric] see ClosedLevel
        # @return [SaturatedThroughput, nil] nil if too few units came while it was saturated
        def saturation(slots, processes: 1, between_ns: 0)
          crowded = levels.select { |level| level.population >= slots }
          crowded = crowded.select { |level| level.full?(slots / processes) } if processes > 1
          full = busy(crowded, FULL * slots, between_ns)
          return if full.sum(0.0, &:weight) < SATURATED
          SaturatedThroughput.of(full.flat_map(&:unit_samples), full.sum(&:seconds))
        end

        # A level to replay. `each`: units that one of the trace stands for
        LevelTrace = Data.define(:trace, :population, :each)

        # Traces of all levels, as long as they were against each other, but long enough for their
        # populations.
        # @param in_order [Boolean] units of a minute follow each other, as the machine's speed has them
        # @yieldparam unit_samples [Array<UnitSample>] of a level
        # @yieldreturn [Array<UnitSample>] as they are to be replayed
        # @return [Array<LevelTrace>]
        def traces(pools, units:, seed:, in_order: false)
          random = Random.new(seed)
          all = levels.sum(0.0, &:weight)
          levels.map do |level|
            sample = WeightedSample.new(yield(level.unit_samples).map { |unit_sample|
              [unit_sample, unit_sample.weight]
            })
            size = [(units * level.weight / all).round, LEAST * level.population].max
            drawn = Array.new(size) { sample.draw(random) }
            drawn = drawn.sort_by.with_index { |unit, at| [unit.start_ns / NS / MINUTE_S, at] } if in_order
            trace = drawn.map.with_index { |unit, at| Trace::TraceUnit.of(unit, at, pool: pools.index(unit)) }
            LevelTrace.new(trace: Trace.new(trace), population: level.population, each: level.weight / size)
          end
        end

        # @return [Integer] of a host in its busiest twentieth of the time
        def peak
          all = cells.map(&:population).sort
          all[((all.size - 1) * Traffic::PEAK).ceil]
        end

        # Whether too few units are recorded to see who began when another one ended.
        def sampled?
          return @sampled if defined?(@sampled)
          @sampled = weight(@unit_samples) > SAMPLED * @unit_samples.size
        end

        private

        def weight(units) = units.sum(0.0, &:weight)

        # Those with so many busy threads. Chance puts more units of a sample into some cells, which then
        # seem to have a larger population too: there, all levels from one on count together.
        def busy(some, least, between_ns)
          return some.select { |level| level.busy(between_ns) >= least } unless sampled?
          from = some.each_index.find { |index| together(some.drop(index)).busy(between_ns) >= least }
          from ? some.drop(from) : []
        end

        def together(some)
          ClosedLevel.new(population: some.first.population, unit_samples: some.flat_map(&:unit_samples),
            seconds: some.sum(&:seconds))
        end

        def arrival_ns(unit)
          unit.start_ns - ClosedLoad.queued_ns(unit)
        end

        def cell_of(unit)
          arrival_ns(unit) / NS / CELL_S
        end

        # A load test changes the population within a cell, and may pause: each step counts from the first
        # unit that found all others there to the last one.
        def steps
          ordered = cells.sort_by { |cell| [cell.host, cell.cell] }
          same = ordered.slice_when do |one, other|
            [one.host, one.cell + 1, one.population] != [other.host, other.cell, other.population]
          end
          same.filter_map { |cells| step(cells) }
        end

        def step(cells)
          some = cells.flat_map(&:unit_samples)
          return sampled_step(cells, some) if sampled?
          first_ns, last_ns = cells.flat_map(&:steady).map { |unit| arrival_ns(unit) }.minmax
          return if last_ns == first_ns
          came = some.select do |unit|
            arrival_ns(unit) > first_ns && arrival_ns(unit) <= last_ns
          end
          ClosedLevel.new(population: cells.first.population, unit_samples: came,
            seconds: (last_ns - first_ns).fdiv(NS))
        end

        # The first and the last of n random moments of a span are (n - 1) / (n + 1) of it apart.
        def sampled_step(cells, some)
          return if some.size < 2
          first_ns, last_ns = some.map { |unit| arrival_ns(unit) }.minmax
          seconds = (last_ns - first_ns).fdiv(NS) * (some.size + 1) / (some.size - 1)
          if seconds.positive?
            ClosedLevel.new(population: cells.first.population, unit_samples: some,
              seconds:)
          end
        end

        def cells_of(host, units)
          by_cell = units.group_by { |unit| cell_of(unit) }
          many = by_cell.select { |_, own| own.size >= FEWEST }
          if sampled?
            cells = sampled_cells(host, many)
            return cells + small_cells(host, by_cell, cells)
          end
          found = found_by_arrival(units)
          many.filter_map do |cell, own|
            population, steady = population(own, found)
            ClosedCell.new(host:, cell:, population:, unit_samples: own, steady:) if population
          end
        end

        # Chance alone leaves few units of a sample in some cells. Without these, the others would show a
        # higher throughput than there was.
        # @param cells [Array<ClosedCell>] of the others
        # @return [Array<ClosedCell>] those in a step, or at its end with units that found as many others
        def small_cells(host, by_cell, cells)
          known = cells.to_h { |cell| [cell.cell, cell] }
          first, last = known.keys.minmax
          return [] if first.nil?
          (first - 1..last + 1).filter_map do |number|
            own = by_cell.fetch(number, [])
            next if known.key?(number) || own.size >= FEWEST
            same = step_around(number, known, own) or next
            ClosedCell.new(host:, cell: number, population: same.population, unit_samples: own, steady: own)
          end
        end

        # A cell of the step that this one is part of.
        def step_around(number, known, own)
          before = known[number - 1] || known[number - 2]
          after = known[number + 1] || known[number + 2]
          return before if before && after && before.population == after.population
          [before, after].compact.find { |cell| alike?(own, cell) }
        end

        # Whether most of these units found as many others as those of the cell.
        def alike?(own, cell)
          numbers = cell.steady.map(&:concurrency)
          own.any? && own.count { |unit| numbers.include?(unit.concurrency) } > own.size / 2
        end

        # Number of others that each unit found in the system, and for how long there had been none.
        def found_by_arrival(units)
          edges = units.flat_map { |unit| [[arrival_ns(unit), 1, unit], [unit.end_ns, 0, unit]] }
          edges.sort_by! { |at, arrives, _| [at, arrives] }
          present = 0
          emptied_ns = edges.dig(0, 0)
          edges.each_with_object({}.compare_by_identity) do |(at, arrives, unit), found|
            if arrives == 1
              found[unit] = [present, present.zero? ? at - emptied_ns : 0]
              present += 1
            else
              present -= 1
              emptied_ns = at
            end
          end
        end

        # The population of a cell and its steady units, nil if it is not closed.
        def population(own, found)
          return if own.sum { |unit| found[unit].last } > EMPTY * CELL_S * NS
          others, same = usual(own) { |unit| found[unit].first }
          [others + 1, same] if others
        end

        # The probe knows how many units of its process each one found, also in a sample. Those that waited
        # for a thread come on top.
        def sampled_cells(host, by_cell)
          inside = by_cell.to_h { |cell, own| [cell, sampled_inside(own)] }.compact
          inside.group_by { |_, (count, _)| count }.flat_map do |count, same|
            waiting = SampledQueue.likely(same.map { |cell, _| SampledQueue.new(by_cell.fetch(cell)) })
            same.zip(waiting).map do |(cell, (_, steady)), more|
              unit_samples = by_cell.fetch(cell)
              ClosedCell.new(host:, cell:, population: (count + more).round, unit_samples:, steady:)
            end
          end
        end

        # Units in threads of all processes, and those that found all others there.
        def sampled_inside(own)
          processes = own.group_by(&:process).values.map { |units| usual_inside(units) }
          [processes.sum(&:first), processes.flat_map(&:last)] if processes.all?
        end

        def usual_inside(units)
          return unless units.all?(&:concurrency)
          return if units.sum(0.0) { |unit| unit.rest_ns.to_i * unit.weight } > EMPTY * CELL_S * NS
          others, same = usual(units, &:concurrency)
          [others + 1, same] if others
        end

        # The number that most of the units have, and these; nil if most have others.
        def usual(units)
          number, same = units.group_by { |unit| yield unit }.max_by { |_, same| same.size }
          [number, same] if same.size - CHANCE >= SAME * units.size
        end

        # One cell alone is closed by chance.
        def lasting(cells)
          known = cells.to_set { |cell| [cell.host, cell.cell] }
          cells.select { |cell| [-1, 1].any? { |step| known.include?([cell.host, cell.cell + step]) } }
        end
      end

      # Units of a cell that waited for a thread, by Little's law. With few of them recorded, chance makes
      # cells differ more than they did.
      class ClosedLoad::SampledQueue
        # @param queues [Array<SampledQueue>] of cells that may be alike
        # @return [Array<Float>] mean number of waiting units in each, without the part that is chance
        def self.likely(queues)
          mean = queues.sum(&:waiting) / queues.size
          squares = queues.sum { |one| (one.waiting - mean)**2 }
          trust = squares.positive? ? [1 - queues.sum(&:noise) / squares, 0.0].max : 0.0
          queues.map { |one| mean + trust * (one.waiting - mean) }
        end

        def initialize(units)
          cell_ns = ClosedLoad::CELL_S * NS
          @shares = units.map { |unit| ClosedLoad.queued_ns(unit) * unit.weight / cell_ns }
        end

        def waiting = @shares.sum

        # Variance of that number.
        def noise = @shares.sum { |share| share**2 }
      end

      ClosedLoad::NONE = ClosedLoad.new([])

      # Users who wait for each answer, think, and ask again. By the interactive response time law
      #
      #   users = requests per second * (response + think)
      #
      # so with faster answers they ask more often. `response_ns`: mean; `thinks_ns`: mean pauses that fit the
      # recording, the likeliest first.
      #
      # Source: Lazowska et al., Quantitative System Performance, chapter 3 (interactive response time law).
      ClosedLoad::ThinkingUsers = Data.define(:response_ns, :thinks_ns) do
        def think_ns = thinks_ns.first

        # @return [ThinkingUsers] who most likely do not pause, though they may
        def perhaps = with(thinks_ns: [0, *thinks_ns].uniq)

        # @param rate [Float] units per second of a host
        # @return [Integer] of that host
        def count(rate, think_ns = self.think_ns)
          [(rate * (response_ns + think_ns) / NS).round, 1].max
        end

        # The number of requests, with answers in half the time, differs by so much between the explanations.
        # @param all [Array<ThinkingUsers, nil>] nil: they come on their own
        # @return [Float] share of it
        def self.vagueness(all)
          more = all.flat_map { |users| users ? users.gains : [1.0] }
          more.max / more.min - 1
        end

        # The number differs by so much between the pauses that fit.
        def vagueness
          self.class.vagueness([self])
        end

        # @return [Array<Float>] of each pause, requests with answers in half the time against those now
        def gains
          thinks_ns.map { |think_ns| (response_ns + think_ns) / (response_ns / 2 + think_ns) }
        end
      end

      # How long users think, from how much their waits vary. Throughput, response and number of users don't
      # show it: each pause has a number of users with which the law holds. But the shorter they think, the
      # less the number of waiting requests varies, because those who wait can't ask; requests that come on
      # their own (an endless pause of endless users) vary most. So the pause is the one with which a replay's
      # waits have the standard deviation of the measured ones.
      class ClosedLoad::ThinkTimeFit
        # Pauses to try, against the response: the longest is nearly that of arrivals on their own.
        STEPS = (-5..9).map { |step| 2.0**step }.freeze
        # Rounds of the bootstrap, which takes no replay.
        ROUNDS = 100
        # Replays of a pause that fits, to see how much chance changes their waits.
        REPLAYS = 4

        # @param units [Array<UnitSample>]
        # @return [Float] standard deviation of queued + stalled
        def self.deviation(units)
          waits = units.map { |unit| [unit.queued_ns.to_i + unit.stalled_ns, unit.weight] }
          mean = WeightedSample.mean(waits)
          Math.sqrt(WeightedSample.mean(waits.map { |wait, weight| [(wait - mean)**2, weight] }))
        end

        # @param response_ns [Float] mean, measured
        # @yieldparam users [ClosedLoad::ThinkingUsers]
        # @yieldparam number [Integer] of the replay: each draws other pauses
        # @yieldreturn [Replay::ReplayResult] with these users
        def initialize(traffic, response_ns:, &replay)
          @traffic = traffic
          @response_ns = response_ns
          @replay = replay
        end

        # @param closed [Boolean] whether it may also be a load test whose connections do not pause, but
        #   change in number
        # @param several [Boolean] whether they come to several processes
        # @return [ClosedLoad::ThinkingUsers]
        def call(closed: false, several: false)
          bootstrap = Sufficiency::RecordingBootstrap.new(@traffic, rounds: ROUNDS)
          range = bootstrap.interval { |part, _| self.class.deviation(part.unit_samples) }
          likely = self.class.deviation(@traffic.unit_samples)
          chance = several ? likely * chance(think_ns(likely)) : 0.0
          thinks_ns = [likely, [range.begin, likely - chance].min, [range.end, likely + chance].max]
            .map { |deviation| think_ns(deviation) }
          thinks_ns << 0 if closed && steady_cells?
          users(thinks_ns.uniq)
        end

        private

        # A process stays full for minutes while another one is not, so a replay, like a recording, shows some
        # of it by chance.
        # @return [Float] by which the deviation of a replay differs from that of a recording, in 90 % of
        #   cases, as a share
        def chance(think_ns)
          found = Replay.at_once([*0...REPLAYS]) { |number| replayed_deviation(think_ns, number) }
          mean = found.sum / REPLAYS
          variance = found.sum { |one| (one - mean)**2 } / (REPLAYS - 1)
          mean.zero? ? 0.0 : WeightedSample::NORMAL * Math.sqrt(2 * variance) / mean
        end

        # Whether waits vary within a few seconds as little as those of connections that do not pause.
        def steady_cells?
          cell_ns = ClosedLoad::CELL_S * NS
          cells = @traffic.unit_samples.group_by { |unit| [unit.host, unit.start_ns / cell_ns] }
          waits = cells.values.map { |own| own.map { |unit| unit.queued_ns.to_i + unit.stalled_ns } }
          freedom = waits.sum { |own| own.size - 1 }
          return true unless freedom.positive?
          squares = waits.sum { |own| own.sum { |wait| (wait - own.sum.fdiv(own.size))**2 } }
          most = 1 + WeightedSample::NORMAL / Math.sqrt(2 * freedom)
          Math.sqrt(squares / freedom) <= tried.first.last * most
        end

        def users(thinks_ns)
          ClosedLoad::ThinkingUsers.new(response_ns: @response_ns, thinks_ns:)
        end

        # The shortest that varies as much, between two tried ones on the line through both.
        def think_ns(deviation)
          at = tried.index { |_, found| found >= deviation }
          return tried.last.first if at.nil?
          return tried.first.first if at.zero?
          (short_ns, less), (long_ns, more) = tried.values_at(at - 1, at)
          short_ns * (long_ns / short_ns)**((deviation - less) / (more - less))
        end

        # Pauses, and the standard deviation of waits with each.
        def tried
          @tried ||= begin
            thinks_ns = STEPS.map { |step| step * @response_ns }
            thinks_ns.zip(Replay.at_once(thinks_ns) { |think_ns| replayed_deviation(think_ns) })
          end
        end

        def replayed_deviation(think_ns, number = 0)
          waits = @replay.call(users([think_ns]), number).waits
          mean = waits.sum.fdiv(waits.size)
          Math.sqrt(waits.sum { |wait| (wait - mean)**2 } / waits.size)
        end
      end

      # Several pools of threads in a process, some of which always had jobs: these wait in a queue as long as
      # it was filled, so neither their arrivals nor their time in the queue say anything about threads. Jobs
      # of the other pools come as they came.
      #
      # A pool is full if its threads had jobs nearly all the time, and nearly all of its jobs waited longer
      # than it takes on average until a thread is free.
      class ClosedLoad::FullPools
        FULL = ClosedLoad::FULL
        # Jobs of full pools in a replay against recorded ones: faster threads don't run out of them.
        LONGER = 2

        # @param unit_samples [Array<UnitSample>] of all pools
        # @param pools [ThreadPools] `processes`: of a host; `between`: see Scenario::DispatchCost
        # @param seconds [Float] for which each host was recorded, all together
        def initialize(unit_samples, pools, processes:, seconds:, between:)
          @unit_samples = unit_samples
          @pools = pools
          @processes = processes
          @seconds = seconds
          @between = between
        end

        def pools? = true

        def closed? = full.any?

        # @return [Hash{Integer => ClosedLoad::SaturatedThroughput}] of each full pool, by index
        def full
          @full ||= begin
            threads = [@pools.threads - @pools.other_threads.sum, *@pools.other_threads]
            by_pool = @unit_samples.group_by { |unit| @pools.index(unit) }
            found = by_pool.select { |pool, units| full?(units, threads.fetch(pool) * @processes) }
            found.transform_values { |units| ClosedLoad::SaturatedThroughput.of(units, @seconds) }
          end
        end

        # @return [Integer] threads of a host
        def peak = @pools.threads * @processes

        # @return [Array<ClosedLoad::ClosedLevel>]
        def levels
          [ClosedLoad::ClosedLevel.new(population: peak, unit_samples: @unit_samples, seconds: @seconds)]
        end

        # @param recorded [Trace] jobs as they came
        # @return [Trace] those of full pools wait from the start, twice as many
        def waiting(recorded)
          queued, others = recorded.units.partition { |unit| full.key?(unit.pool) }
          all = (queued * LONGER).map.with_index { |unit, at| unit.with(arrival_ns: at) }
          Trace.new(all + others)
        end

        # @param outcome [Replay::ReplayResult] of such a trace
        # @param recorded [Trace]
        # @return [Replay::ReplayResult] the part in which full pools have jobs, and others as many as
        #   recorded
        def steady(outcome, recorded)
          edge = PoolThroughput::BacklogReplay::EDGE
          to_ns = full.keys.map do |pool|
            ends = outcome.ends.values_at(*outcome.trace.pools.fetch(pool, [])).sort
            ends[(ends.size * (1 - edge)).floor]
          end
          to_ns = [*to_ns.compact, recorded.units.last.arrival_ns].min
          outcome.within((edge * to_ns)..to_ns)
        end

        # @param outcome [Replay::ReplayResult] see steady
        # @return [Array<Float>] units per second and host of each full pool
        def throughputs(outcome)
          counts = outcome.trace.units.map(&:pool).tally
          full.keys.map { |pool| counts.fetch(pool, 0) * NS / outcome.elapsed_ns }
        end

        # @param measured [SelfTest::MeasuredFigures]
        # @return [SelfTest::MeasuredFigures] without the time in the queue
        def figures(measured)
          p95_ns = Recording::UnitTimes.new(@unit_samples, queued: false).response(0.95)
          measured.with(queued_ns: nil, response_ns: measured.response_ns - measured.queued_ns.to_f, p95_ns:,
            throughput: full.values.map(&:throughput))
        end

        private

        def weight(units) = units.sum(0.0, &:weight)

        def full?(units, threads)
          wall_ns = WeightedSample.mean(units.map { |unit| [unit.wall_ns, unit.weight] })
          busy = weight(units) * (wall_ns + @between.own_ns) / (@seconds * NS * threads)
          waited = units.select { |unit| unit.queued_ns.to_i > wall_ns / threads }
          busy >= FULL && weight(waited) >= FULL * weight(units)
        end
      end
    end
  end
end
