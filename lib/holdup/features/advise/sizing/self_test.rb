# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # A model that predicts the present wrongly can't predict other settings: replays the recording on its
      # own setting and compares the result with what was measured. Units that came on their own come again,
      # minute by minute; those that waited for answers do so again (ClosedLoad).
      #
      # Arrivals can't show how much a setting serves, so where it was saturated, the throughput that it
      # reached is compared with the ceiling that the formula gives. Where it was not, it served less than its
      # ceiling: by a model whose ceiling is below what was served in the busiest minutes, no wait at that
      # load can be predicted (grade C).
      #
      # Grade A: mean response, p95 and queued + stalled within 10 %, utilisation and throughput within 5 %;
      # B: within twice that, or replays are as far off by chance alone, or the speed of the machine varied by
      # more than A allows, units wait for locks and connections for as long, the mix at the peak is another
      # one, or the recording hardly shows what concurrency costs, or what other processes need for more
      # units; C: worse, and no recommendation, as where a replay of the busiest minutes is further from their
      # measured response (see Recommendation).
      class SelfTest
        # `queued_ns`: nil without stamped arrivals; responses are then without it. `handoff_ns`: part of
        # stalled_ns while no thread held the GVL; nil if unknown. `throughput`: units per second and host
        # while saturated, of each full pool where there are several, or in the busiest minutes where that
        # refutes the model; nil else
        MeasuredFigures = Data.define(:queued_ns, :stalled_ns, :handoff_ns, :response_ns, :p95_ns,
          :utilisation,
          :throughput) do
          def initialize(throughput: nil, **rest)
            super
          end
        end
        # `errors`: {Symbol => Float}, signed shares; `vcpus` is fitted, `handoffs` (each Numeric or Array,
        # see Handoff) too; `assignments`: see Forecast; of both, all that fit about as well, best hand-off
        # first `refuted`: units per second that were served and that the model's ceiling is below, or nil;
        # `peak`: PeakContradiction or nil
        SelfTestResult = Data.define(:grade, :errors, :predicted, :measured, :causes, :handoffs, :vcpus,
          :assignments, :refuted, :peak) do
          def initialize(refuted: nil, peak: nil, **rest)
            super
          end

          def handoff_ns = handoffs.first

          # @return [Array<Symbol>] why the grade is not A
          def reasons
            return [] if grade == :a
            peak ? [:peak_contradicted, *causes.call.grep_v(:unknown)] : causes.call
          end

          # @param peak [PeakContradiction, nil]
          # @return [SelfTestResult] of grade C, if there is one
          def contradicted(peak)
            peak ? with(grade: :c, peak:, errors: {**errors, peak: peak.error}) : self
          end

          # @return [SelfTestResult] that knows its causes without the recording
          def as_value = with(causes: causes.as_value)
        end
        # The response in the busiest minutes at a percentile (0.95), as it was replayed and measured.
        PeakContradiction = Data.define(:percentile, :replayed_ns, :measured_ns) do
          def error
            replayed_ns.fdiv(measured_ns) - 1
          end
        end

        # `each`: measured units that one of the replay stands for
        WeightedReplay = Data.define(:result, :each) do
          def weight = result.trace.size * each

          # @return [Float] how long it takes, as often as its units were measured
          def weight_ns = result.elapsed_ns * each

          # @param queued [Boolean] whether with the time before a thread has them
          # @return [Array<Integer>] ns of each unit
          def responses(queued:)
            all = result.column(:response)
            queued ? all : all.zip(result.column(:queued)).map { |whole, before| whole - before }
          end
        end

        # An error of what a setting serves counts twice: all other figures follow from it.
        GRADES = {0.1 => :a, 0.2 => :b}.freeze
        # What was served may exceed a ceiling by so much: it may be the same, computed in another way.
        ROUNDING = 1e-9
        DOUBLE = %i[utilisation throughput].freeze
        # One replay of unlike units near saturation shows as little as one day.
        REPLAYS = 4
        # The worst errors of two assignments or hand-offs differ by this much if the recording tells them
        # apart.
        TOLD_APART = 0.02
        # Replays that fit the hand-off.
        FITTED = 2
        # Units of each replay that tries a pause: it has to last for many pauses.
        PAUSES = 10_000
        P95 = 0.95

        # @param vcpus [Range<Numeric>] see FreeCpus; `others`: why they are not all
        # @param assignments [Array<Symbol>] the one that fits best counts
        # @param units [Integer] of each replay, roughly
        # @param load [ClosedLoad] of the recording
        # @param users [ClosedLoad::ThinkingUsers, nil] who sent its requests; nil: they came on their own
        # @param handoff_ns [Numeric, nil] see Handoff; nil: what fits the recording
        def initialize(recording, traffic:, current:, vcpus:, assignments:, units: 2 * Traffic::UNITS,
          load: ClosedLoad::NONE, users: nil, handoff_ns: nil, others: ResourceLimits::OtherCpus::NONE,
          seed: 1,
          cpus: Replay.half_of_cpus)
          @recording = recording
          @traffic = traffic
          @current = current
          @vcpus = vcpus
          @assignments = assignments
          @units = units
          @load = load
          @users = users
          @handoff_ns = handoff_ns
          @others = others
          @seed = seed
          @cpus = cpus
          @played = {}
        end

        def call
          best = results.min_by { |result| worst(result.errors) }
          best.with(assignments: fitting(results, worst(best.errors)))
        end

        # @return [Array<SelfTestResult>] of each assignment
        def results
          @results ||= begin
            replays = replays()
            @assignments.map { |assignment| result(replays, assignment) }
          end
        end

        # Users explain it when replays wait for longer than was measured, or when all threads were busy all
        # the time, so that waits depend on nothing but who asks.
        # @param found [SelfTestResult] of the same recording, without users
        # @return [ClosedLoad::ThinkingUsers, nil]
        def users(found)
          return if @current.shared? || @recording.kind == :job || @recording.measured.queued_ns.nil?
          return if found.causes.load_test? || found.causes.resource_waits?
          return unless alike? || waits_too_long?(found)
          scenario = scenario(@assignments.first, vcpus: found.vcpus, handoff_ns: found.handoff_ns)
          coarse = CoarseUnits.new(steady(@seed, PAUSES), scenario)
          response_ns = @recording.measured.response_ns
          fit = ClosedLoad::ThinkTimeFit.new(@traffic, response_ns:) do |users, number|
            with_users(coarse.trace, coarse.scenario.with(seed: @seed + number), users)
          end
          fit.call(closed: @load.closed? && found.grade != :c, several: @current.processes > 1)
        end

        # Whether a replay may fit with users and without them: all threads were busy nearly all the time, so
        # who waits for one does not show.
        def alike?
          return crowded? if @load.closed?
          all = @recording.unit_samples
          found = all.select { |unit| unit.concurrency.to_i >= @current.own_threads - 1 }
          @current.own_threads > 1 && found.sum(&:weight) >= ClosedLoad::FULL * all.sum(&:weight)
        end

        # Whether it is not known what jobs take with other numbers of threads.
        def constant_load?
          constant_load > ErrorCauses::MOST
        end

        private

        # Waits are too long only beyond chance. Less than that excludes no users: they are another
        # explanation of what chance may be, or of several processes' queues, one of which may be long enough
        # to explain any wait.
        def waits_too_long?(found)
          return false if @load.closed?
          return true if found.causes.missing_waits?
          return false if found.grade == :c && @current.processes == 1
          found.errors.fetch(:wait) > ErrorCauses::SHARE
        end

        def demand = @recording.demand

        # The constant number of busy threads looks, in a sample, like a constant number of requests.
        def crowded?
          levels = @load.sampled? ? @load.levels : []
          full = levels.select { |level| level.population >= @current.slots }
          full.any? && full.sum(&:weight) >= ClosedLoad::FULL * levels.sum(&:weight)
        end

        # A single process shows nothing of them.
        def fitting(results, least_error)
          return @assignments if @current.processes == 1
          about_as_good(results, least_error).flat_map(&:assignments)
        end

        def about_as_good(results, least_error)
          results.select { |result| worst(result.errors) <= least_error + TOLD_APART }
        end

        def replays
          return full_replays if full_pools?
          return users_replays if @users
          @load.closed? ? closed_replays : open_replays
        end

        # Whether units came when others had ended.
        def waits? = @load.closed? || !@users.nil?

        def full_pools? = @load.closed? && @load.pools?

        def open_replays
          recorded.map do |trace|
            ->(scenario) { [WeightedReplay.new(result: Replay.call(trace, scenario), each: 1.0)] }
          end
        end

        def users_replays
          Array.new(REPLAYS) do |index|
            trace = steady(@seed + index)
            lambda do |scenario|
              [WeightedReplay.new(result: with_users(trace, scenario, @users), each: 1.0)]
            end
          end
        end

        # Units of all times, mixed.
        def steady(seed, units = @units)
          @traffic.peak(seed:, rate: @traffic.mean_rate, units:, even: true)
        end

        def with_users(trace, scenario, users)
          Replay.closed(trace, scenario, users.count(@traffic.mean_rate), think_ns: users.think_ns,
            answer_ns: users.response_ns)
        end

        # Replays of pools that always have jobs.
        def full_replays
          recorded.map do |came|
            waiting = @load.waiting(came)
            lambda do |scenario|
              [WeightedReplay.new(result: @load.steady(Replay.call(waiting, scenario), came), each: 1.0)]
            end
          end
        end

        # @return [Array<Trace>]
        def recorded
          Array.new(REPLAYS) { |index| @traffic.recorded(seed: @seed + index, units: @units) }
        end

        # All levels of the load are one replay. Where units go to one of several processes, chance decides
        # how long their queues get.
        def closed_replays
          Array.new((@current.processes > 1) ? REPLAYS : FITTED) do |index|
            levels = @load.traces(@traffic.pools, units: @units, seed: @seed + index,
              in_order: @recording.speed_effect.any?) do |unit_samples|
              @recording.on_free_cpus(unit_samples)
            end
            ->(scenario) { levels.map { |level| closed(level, scenario) } }
          end
        end

        def closed(level, scenario)
          WeightedReplay.new(result: Replay.closed(level.trace, scenario, level.population), each: level.each)
        end

        def measured
          @measured ||= if full_pools? then @load.figures(@recording.measured)
          elsif @load.closed?
            ClosedFigures.new(@recording, @load, @current).call.with(throughput: saturation&.throughput)
          else @recording.measured.with(throughput: saturation&.throughput)
          end
        end

        # @return [ClosedLoad::SaturatedThroughput, nil] of threads that take the same units
        def saturation
          return if @current.shared?
          return mean_throughput if @users
          @saturation ||= @load.saturation(@current.slots, processes: @current.processes,
            between_ns: demand.between.own_ns)
        end

        def mean_throughput
          rate = @traffic.mean_rate
          ClosedLoad::SaturatedThroughput.new(throughput: rate, units: @recording.units, sampling: 0.0)
        end

        def result(replays, assignment)
          few = replays.first(FITTED)
          vcpus = FreeCpus.fit(@vcpus, measured.utilisation) do |free|
            play(few, assignment, vcpus: free).utilisation
          end
          handoffs = @handoff_ns ? [@handoff_ns] : [fitted_handoff_ns(replays, assignment, vcpus),
            *by_waiting]
          results = handoffs.map do |handoff_ns|
            compare(play_each(replays, assignment, vcpus:, handoff_ns:), assignment, vcpus:, handoff_ns:)
          end
          best = results.min_by { |result| worst(result.errors) }
          alike = about_as_good(results, worst(best.errors)).flat_map(&:handoffs)
          best.with(handoffs: best.handoffs | alike)
        end

        # Hand-offs by the number of waiting threads: only the levels of a closed load show them.
        def by_waiting
          return [] if !@load.closed? || @current.processes > 1 || @current.shared?
          [Handoff.by_waiting(@load.levels, demand.in_all, threads: @current.own_threads,
            speed: @recording.speed_effect)].compact
        end

        def fitted_handoff_ns(replays, assignment, vcpus)
          few = replays.first(FITTED)
          chance_ns = @load.closed? ? 0 : chance_ns(waits_ns(replays, assignment, vcpus))
          Handoff.fit(handoff_times(measured), chance_ns:) do |ns|
            handoff_times(play(few, assignment, vcpus:, handoff_ns: ns))
          end
        end

        # Units that come on their own come at other moments in each replay: how far the measured waits may
        # lie above those of the replays that fit (90 % prediction interval of a normal distribution). A
        # replay has at most as many units as were measured, so its waits vary at least as much.
        # @param fitted [Integer] number of replays whose mean is compared with the measured one
        def chance_ns(waits, fitted: FITTED)
          mean = waits.sum / waits.size
          variance = waits.sum { |wait| (wait - mean)**2 } / (waits.size - 1)
          student = CoherencyEstimator::ScoreTest::BlockStatistics::ScoreInterval.student(waits.size - 1)
          measured_share = [@units.fdiv(@recording.units), 1].min
          student * Math.sqrt(variance * (measured_share + 1.0 / fitted))
        end

        # Errors may differ from zero by so much by chance alone. The replays of a load test are too few and
        # too much alike to show it.
        def chance(all)
          return {} if @load.closed?
          {response: all.map(&:response_ns), p95: all.map(&:p95_ns), wait: all.map { |one| wait(one) }}
            .to_h do |name, times|
              whole_ns = (name == :p95) ? measured.p95_ns : measured.response_ns
              [name, chance_ns(times, fitted: times.size) / whole_ns]
            end
        end

        def waits_ns(replays, assignment, vcpus)
          play_each(replays, assignment, vcpus:).map { |figures| handoff_times(figures).wait_ns }
        end

        # Waits that depend on hand-offs. The queue time of jobs depends on more.
        def handoff_times(figures)
          wait_ns = (@recording.kind == :job) ? figures.stalled_ns : wait(figures)
          Handoff::HandoffTimes.new(handoff_ns: figures.handoff_ns, wait_ns:)
        end

        def play(...) = mean(play_each(...))

        # @return [Array<MeasuredFigures>] of each replay
        def play_each(replays, assignment, vcpus:, handoff_ns: Handoff::USUAL_NS)
          scenario = scenario(assignment, vcpus:, handoff_ns:)
          Replay.at_once(replays, cpus: @cpus) do |replay|
            @played[[replay, scenario]] ||= begin
              played = replay.call(scenario)
              served = if full_pools? then @load.throughputs(played.first.result)
              elsif !@current.shared?
                [ceiling(vcpus, handoff_ns), *(played.first.result.throughput if @users)].min
              end
              figures(played).with(throughput: served)
            end
          end
        end

        def scenario(assignment, vcpus:, handoff_ns:)
          @current.scenario(vcpus:, cost: demand.cost, between: demand.between, handoff_ns:, assignment:,
            seed: @seed)
        end

        def ceiling(vcpus, handoff_ns, processes: @current.processes, others: @others)
          limits = ResourceLimits.new(vcpus: @vcpus.max, others:).fitted(vcpus)
          SharedCpus.new(demand.with(handoff_ns:).in_all, processes:, threads: @current.own_threads,
            limits:).throughput
        end

        # One more process serves so much more if others need as little CPU for it as the recording allows.
        def other_cpus(vcpus, handoff_ns)
          processes = @current.processes + 1
          return 0.0 if processes > @vcpus.max || @current.shared?
          most, least = [@others.least, @others].map do |others|
            ceiling(vcpus, handoff_ns, processes:, others:)
          end
          (most / least - 1).abs
        end

        # Share of the jobs that found the same number of others running, where growth is not known: threads
        # that always have work don't show what jobs take with fewer threads.
        def constant_load
          return 0.0 unless @recording.kind == :job && @load.closed? && !@recording.growth_estimate.enough?
          all = @recording.unit_samples
          all.group_by(&:concurrency).values.map { |same| same.sum(&:weight) }.max / all.sum(&:weight)
        end

        def mean(all)
          means = all.first.to_h.to_h { |key, value| [key, value && mean_value(all.map(&key))] }
          MeasuredFigures.new(**means)
        end

        # Pools have a throughput each.
        def mean_value(values)
          return values.sum / values.size.to_f unless values.first.is_a?(Array)
          values.transpose.map { |same| mean_value(same) }
        end

        def compare(all, assignment, vcpus:, handoff_ns:)
          predicted = mean(all)
          refuted = refuting(predicted)
          errors = errors(predicted, refuted)
          outcome = ErrorCauses::ReplayErrors.new(errors:, chance: chance(all), predicted:,
            closed: waits?, constant_load:, other_cpus: other_cpus(vcpus, handoff_ns),
            refuted: !refuted.nil?, pauses: @users ? @users.vagueness : 0.0)
          causes = ErrorCauses.new(@recording, traffic: @traffic, current: @current, outcome:)
          SelfTestResult.new(grade: grade(errors, causes, refuted), errors:, predicted:, causes:, vcpus:,
            refuted:, measured: refuted ? measured.with(throughput: refuted) : measured,
            handoffs: [handoff_ns], assignments: [assignment])
        end

        def grade(errors, causes, refuted)
          return :c if refuted
          grade = GRADES.find { |limit, _| worst(errors) <= limit }&.last || :c
          (grade == :a && causes.doubtful?) ? :b : grade
        end

        # @param replays [Array<WeightedReplay>] one after the other
        def figures(replays)
          response_ns, p95_ns = responses(replays)
          queued_ns = mean_of(replays) { |result| result.column(:queued).sum } if measured.queued_ns
          utilisations = replays.map { |replay| [replay.result.utilisation, replay.weight_ns] }
          MeasuredFigures.new(queued_ns:,
            stalled_ns: mean_of(replays) { |result| result.column(:stalled).sum },
            handoff_ns: mean_of(replays, &:handed_ns), response_ns:, p95_ns:,
            utilisation: WeightedSample.mean(utilisations))
        end

        # @return [Array(Float, Numeric)] ns: mean and 95th percentile
        def responses(replays)
          each = replays.map { |replay| replay.responses(queued: !measured.queued_ns.nil?) }
          return alike(each.first) if each.one?
          weighted = each.zip(replays).flat_map { |all, replay| all.map { |ns| [ns, replay.each] } }
          [WeightedSample.mean(weighted), WeightedSample.quantile(weighted, P95)]
        end

        # Mean and percentile of units with the same weight.
        def alike(responses)
          count = responses.size
          [responses.sum.fdiv(count), responses.sort[(P95 * count).ceil - 1]]
        end

        # The mean of a unit.
        # @yieldreturn [Numeric] a replay's sum
        def mean_of(replays)
          replays.sum { |replay| yield(replay.result) * replay.each } / replays.sum(&:weight)
        end

        # Errors of waits are shares of the response: 1 ms instead of 2 of 300 does not matter.
        def errors(predicted, refuted)
          {response: off(predicted.response_ns, measured.response_ns),
           p95: off(predicted.p95_ns, measured.p95_ns),
           wait: (wait(predicted) - wait(measured)) / measured.response_ns,
           utilisation: predicted.utilisation - measured.utilisation,
           throughput: throughput_error(predicted, refuted)}.compact
        end

        # What was served although it is more than the model's ceiling. Where all threads were busy, the
        # ceiling itself was served, and either may be a little larger. The machine's fastest minutes have a
        # higher one.
        # @return [Float, nil] units per second
        def refuting(predicted)
          return if waits? || predicted.throughput.nil?
          served = @traffic.served.max
          served if served > predicted.throughput * @traffic.fastest * (1 + ROUNDING)
        end

        # The error beyond what chance allows; of several pools the largest.
        def throughput_error(predicted, refuted)
          return off(predicted.throughput, refuted) if refuted
          reached = full_pools? ? @load.full.values : [saturation].compact
          return if reached.empty?
          errors = Array(predicted.throughput).zip(reached).map do |throughput, one|
            error = off(throughput, one.throughput)
            [error.abs - one.chance(demand.cv2), 0.0].max * (error.negative? ? -1 : 1)
          end
          errors.max_by(&:abs)
        end

        def off(predicted, truth)
          predicted / truth.to_f - 1
        end

        def wait(figures)
          figures.queued_ns.to_i + figures.stalled_ns
        end

        def worst(errors)
          errors.map { |name, error| (DOUBLE.include?(name) ? 2 : 1) * error.abs }.max
        end

        # CPUs that are available when a process wants one. Others use some on average, but not always at that
        # moment, and the scheduler prefers threads that slept: the number lies between the mean that others
        # leave and all. A recording shows where: a thread that waits for a CPU keeps the GVL, and held time
        # was measured.
        module FreeCpus
          # Halvings of the range: they narrow it to a sixteenth.
          STEPS = 4

          # @param measured [Float] utilisation of a GVL
          # @yieldreturn [Float] the same, replayed with that many vCPUs
          def self.fit(range, measured)
            least, most = range.minmax
            return least if most <= least || yield(least) <= measured
            STEPS.times do
              middle = (least + most) / 2.0
              (yield(middle) > measured) ? least = middle : most = middle
            end
            (least + most) / 2.0
          end
        end
      end

      # Units with fewer holds, each as much longer, and so are hand-offs: the number of waiting units changes
      # in the same way over minutes, and a replay takes a fraction of the time.
      class SelfTest::CoarseUnits
        # A unit acquires the GVL at most so often.
        ACQUISITIONS = 16

        attr_reader :trace, :scenario

        # @param acquisitions [Integer] of a unit at most
        # @param longer [Float] factor by which units hold the GVL longer
        def initialize(trace, scenario, acquisitions: ACQUISITIONS, longer: 1.0)
          @trace = trace.map do |unit|
            count = [unit.acquisitions, acquisitions].min
            unit.with(acquisitions: count, moments: unit.moments * count / [unit.acquisitions, 1].max,
              held_ns: (unit.held_ns * longer).round, longest_ns: (unit.longest_ns * longer).round)
          end
          fewer = holds(trace).fdiv(holds(@trace))
          handoff_ns = Array(scenario.handoff_ns).map { |ns| ns * fewer }
          @scenario = scenario.with(handoff_ns:)
        end

        private

        def holds(trace)
          trace.units.sum { |unit| unit.acquisitions + 1 }
        end
      end

      # What was measured in the closed part of a recording, from its single units.
      class SelfTest::ClosedFigures
        def initialize(recording, load, current)
          @all = recording.measured
          @between = recording.demand.between
          @levels = load.levels
          @current = current
          @times = Recording::UnitTimes.new(@levels.flat_map(&:unit_samples),
            queued: !@all.queued_ns.nil? && recording.kind != :job)
        end

        def call
          SelfTest::MeasuredFigures.new(queued_ns: @times.queued_ns, stalled_ns: @times.stalled_ns,
            handoff_ns:,
            response_ns: @times.response_ns, p95_ns: @times.response(0.95), utilisation:)
        end

        private

        # Only windows have it: its share of all stall.
        def handoff_ns
          return unless @all.handoff_ns
          @all.stalled_ns.positive? ? @all.handoff_ns * @times.stalled_ns / @all.stalled_ns : 0.0
        end

        def utilisation
          held_ns = @times.running_ns + @between.held_ns
          weight = @levels.sum(0.0, &:weight)
          held_ns * weight / (@levels.sum(&:seconds) * NS * @current.processes)
        end
      end
    end
  end
end
