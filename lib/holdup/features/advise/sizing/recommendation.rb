# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Keep, change, or unknown: from one recording of one setting, tries every other setting within the
      # limits at peak load. Pure: the same recording and seed, the same answer. docs/guide/sizing.md explains
      # the steps.
      class Recommendation
        # Users do not notice a smaller gain, and the recording's noise would reverse it every week.
        HYSTERESIS = 0.05
        DISTANCES = {2.0 => :high, 4.0 => :medium}.freeze
        # Acquisitions of the GVL in a replay, at most about; but not fewer units than a percentile needs.
        HOLDS = 500_000
        LEAST_UNITS = 1_500
        CONFIDENCES = %i[low medium high].freeze
        # Replays of the busiest minutes, to see how much chance changes them.
        PEAK_REPLAYS = 16
        # Student's t with a degree fewer, for 99 % of cases.
        PEAK_STUDENT = 2.947

        # How the units may have come. `users`: ClosedLoad::ThinkingUsers or nil; `result`: self-test with
        # them
        TestedArrivals = Data.define(:users, :result) do
          # @return [Array] what counts most first
          def misfit
            [result.grade, result.errors.values.map(&:abs).max]
          end
        end

        attr_reader :recording, :limits, :objective, :factor, :bias

        # @param recording [Recording]
        # @param factor [Float] of the recorded load
        # @param rounds [Integer] of the bootstrap; `units`: of each replay
        # @param cpus [Integer] that replays may use
        # @param open [Boolean] requests come on their own, also where they waited for answers when recorded
        # @param bias [PredictionBias] corrects predictions of settings other than the present one
        def initialize(recording, limits:, objective: Objective.new, factor: 1.0,
          rounds: Sufficiency::RecordingBootstrap::ROUNDS, units: Traffic::UNITS, seed: 1,
          bias: PredictionBias::NONE, open: false, cpus: Replay.half_of_cpus)
          @recording = recording
          @limits = limits
          @objective = objective
          @factor = factor
          @rounds = rounds
          @units = units
          @seed = seed
          @open = open
          @cpus = cpus
          @bias = bias
        end

        # @return [AdviceResult] all of it; what follows computes parts of it on demand
        def call
          AdviceResult.new(kind: recording.kind, verdict:, reasons:, recording: facts, limits:, objective:,
            amdahl: (amdahl if recording.demand), rate: (rate unless traffic.empty?),
            **((verdict == :unknown) ? causes : decision))
        end

        # @return [Symbol] :keep, :change, or :unknown
        def verdict
          return :unknown if reasons.any?
          change? ? :change : :keep
        end

        # @return [Array<Symbol>] why the verdict is :unknown; else empty
        def reasons
          @reasons ||= if recording.problems.any? then recording.problems
          elsif limits.vcpus.nil? then [:vcpus_unknown]
          elsif traffic.empty? || sufficiency.too_little? then [:not_enough]
          elsif self_test.grade == :c then [:self_test, *self_test.reasons]
          else []
          end
        end

        # @return [Symbol] :better, :guard (the present breaks a limit), :nothing_fits, :best_already,
        #   :too_little_gain
        def why
          return :nothing_fits unless best
          return (best.candidate == current.candidate) ? :best_already : :too_little_gain unless change?
          current.allowed? ? :better : :guard
        end

        # @return [Forecast::Prediction] of the present setting, replayed: what others are compared with
        def current = choice.current

        # @return [Forecast::Prediction] of the present setting, with times measured in the busiest minutes;
        #   the replay, if too few units were recorded or another load is asked about
        def measured
          @measured ||= as_measured(current) || current
        end

        # @param replayed [Forecast::Prediction] of the present setting
        # @yield [UnitSample] whether it counts; all do without a block
        # @return [Forecast::Prediction, nil] likewise; nil, if too few units were recorded
        def as_measured(replayed, &counts)
          units = counts ? measured_units.select(&counts) : measured_units
          with_times(units, replayed) if units.size >= Sufficiency::FEWEST
        end

        # Whether its times were measured.
        def measured? = !measured.equal?(current)

        # @return [Prediction, nil] the best that no guard rejects
        def best = choice.best

        def predictions = choice.predictions

        def gain
          @gain ||= best ? gain_of(best.candidate) : 0.0
        end

        def gain_of(candidate)
          choice.gain_of(candidate)
        end

        # @return [Range<Float>] 90 % of that gain
        def interval
          return @interval if @interval
          return @interval = gain..gain if best.candidate == now
          alone = bootstrapped_gain
          @boots = widened_gain(alone)
          @interval = @boots.interval
        end

        # @return [WidenedGain, nil] what processes of one setting differ by, and what that does to the
        #   interval; nil where none is booted anew
        def boots
          interval if best
          @boots
        end

        # @return [Symbol] :high, :medium or :low: with low, try it on half of the processes first
        def confidence
          return :low if bias.wrong_again? || peak_contradicted?
          distance = best.candidate.threads.fdiv(current.candidate.threads)
          by_distance = DISTANCES.find { |most, _| distance <= most }&.last || :low
          by_self_test = (self_test.grade == :a) ? :high : :medium
          [by_self_test, sufficiency.confidence, by_distance].min_by { |each| CONFIDENCES.index(each) }
        end

        # A peak that contradicts its replay is grade C: gains at the peak may be as wrong. Users are replayed
        # as many as its rate asks for, though chance makes minutes busy where they stay the same: a warning.
        def self_test
          @self_test ||= explained_test.contradicted(users ? nil : peak_contradiction)
        end

        # Whether replays of the busiest minutes contradict what was measured in them.
        def peak_contradicted?
          !peak_contradiction.nil?
        end

        # A replay of the busiest minutes differs from what was measured in them by more than grade B allows,
        # and by more than chance explains. Jobs wait in a queue for other reasons, too.
        # @return [SelfTest::PeakContradiction, nil]
        def peak_contradiction
          return @peak_contradiction if defined?(@peak_contradiction)
          @peak_contradiction = found_contradiction
        end

        # @return [ClosedLoad::ThinkingUsers, nil] who sent the requests, if that explains the recording
        #   better than requests that come on their own
        def users
          @open ? nil : tested.first.users
        end

        # @return [ResourceLimits] with the CPUs that fit the recording
        def fitted_limits
          limits.fitted(explained_test.vcpus)
        end

        def sufficiency
          @sufficiency ||= Sufficiency.new(traffic, units: recording.units).call
        end

        # What is certain where the self-test gives no answer.
        # @param candidates [Array<Candidate>, nil] to compare with the present setting; nil: some of the grid
        # @return [Dominance::DominanceResult, nil] nil if nothing is, or no explanation can describe it
        def dominance(candidates = nil)
          return if reasons.first != :self_test
          @dominance ||= {}
          @dominance.fetch(candidates) do
            inputs = DominanceInputs.new(self, tested:, traffic: whole_traffic,
              population: population_of(nil), seed: @seed, cpus: @cpus)
            asked = candidates || (inputs.settings if inputs.possible?)
            @dominance[candidates] = (inputs.dominance(asked).call if inputs.possible?)
          end
        end

        # @return [Integer] threads by Amdahl's law and the rule of +5 %
        def amdahl
          Analysis::Amdahl.suggestion(recording.demand.idle_share)
        end

        # @return [Float] units per second and host at peak
        def rate = traffic.peak_rate * factor

        # @return [Numeric, nil] requests of a host in the system at peak, if arrivals waited for answers.
        #   Jobs wait in a queue of any length: more threads take more of them.
        def population
          population_of(users)
        end

        # What the peak is drawn from.
        def traffic
          @traffic ||= if peak_minutes.empty?
            whole_traffic
          else
            busy = peak_minutes.to_set
            unit_samples = recording.unit_samples.select { |unit| busy.include?(minute_of(unit)) }
            traffic_of(unit_samples, recording.arrivals.slice(*peak_minutes))
          end
        end

        # @return [Array<Integer>] starts of the minutes that alone are the peak, because of their mix; empty:
        #   all of them
        def peak_minutes
          return [] if recording.kind == :job || recording.closed_load.closed?
          whole_traffic.peak_minutes
        end

        def estimates
          @estimates ||= ServiceDemand::DemandEstimates.new(recording, whole_traffic)
        end

        def now
          @now ||= Candidate.of(recording)
        end

        def of(candidate)
          bias.apply(search.of(candidate), now:)
        end

        def pools_of(candidate)
          search.pools_of(candidate)
        end

        def forecast(...) = search.forecast(...)

        def assumption(round) = search.assumption(round)

        # A prediction for a part of the recording, or for all of it. Several what-ifs ask for the same ones.
        # @param draw [Hash] seed, rate and units: see Traffic#peak
        # @param round [Integer, nil] of a bootstrap: see DemandEstimates and Search#forecast
        def of_part(part, candidate, draw, round: nil)
          @of_parts ||= {}
          @of_parts[[part.blocks.map(&:object_id), candidate, draw, round]] ||= begin
            again = forecast(demand: estimates.call(part, seed: round), rate: draw[:rate], round:)
            again.call(candidate, search.drawn(part, candidate, **draw), force: true)
          end
        end

        private

        def facts
          demand = recording.demand
          cold_share = recording.problem_facts(:warming_up).fetch(:share) if reasons.include?(:warming_up)
          AdviceResult::RecordingFacts.new(setting: recording.setting&.fingerprint, units: recording.units,
            unit_samples: recording.unit_samples.size, closed: recording.closed_load.closed?,
            concurrent_units: recording.pools.concurrent_units?, cold_share:, held_ns: demand&.held_ns,
            acquisitions: demand&.acquisitions, idle_share: demand&.idle_share, warnings: recording.warnings,
            arrivals: whole_traffic.arrival_draws ? :recorded : :independent, **growths)
        end

        # A recording that can't be replayed says nothing of them.
        def growths
          return {} if verdict == :unknown
          {growth_estimate: recording.growth_estimate, idle_growth: recording.idle_growth,
           rest: recording.rest, growths: recording.growths}
        end

        # What the reasons for the verdict :unknown are explained with.
        def causes
          found = {}
          found[:sufficiency] = sufficiency if reasons.intersect?(%i[not_enough few_units])
          reasons.include?(:self_test) ? {**found, **test, dominance:} : found
        end

        def test = {self_test: self_test.as_value, users:, peak: peak_contradiction}

        # The middle of :keep and :change.
        def decision
          certainty = best ? {gain:, interval:, confidence:, boots:} : {}
          {why:, **certainty, **test, sufficiency:, bias: bias.corrections, misses: bias.misses,
           peak_minutes: peak_minutes.size, now:, current:, measured:, best:, predictions:, pools:}
        end

        def pools
          names = recording.pools.names
          return [] if names.empty?
          sides = [now, best&.candidate].compact.uniq.to_h { |candidate| [candidate, pools_of(candidate)] }
          found = sides.values_at(now, best&.candidate).map { |side| side || [] }
          names.each_with_index.map do |name, index|
            AdviceResult::PoolSides.new(name:, current: found.first[index], best: found.last[index])
          end
        end

        def bootstrapped_gain
          bootstrap = Sufficiency::RecordingBootstrap.new(traffic, rounds: @rounds, seed: @seed)
          range = bootstrap.interval(method(:assumption)) { |part, seed| trial(part, seed) }
          [range.begin, gain].min..[range.end, gain].max
        end

        # @return [WidenedGain]
        def widened_gain(alone)
          before, after = both { |one| one.processes * recording.hosts }
          spread = Analysis::BootSpread.new(recording.unit_samples, :running).call
          WidenedGain.by_replays(spread, gain, alone, before:, after:) { |factor| gain_of_boots(factor) }
        end

        # @param factor [Float] by which units hold the GVL longer in the new processes
        def gain_of_boots(factor)
          draw = {seed: @seed, rate:, units: units_of_replay}
          parts = [[traffic, now], [traffic.slowed(factor), best.candidate]]
          return choice.gain(*parts.map { |part, one| of_part(part, one, draw) }) if replayed?
          choice.gain(*parts.map do |part, one|
            trace = search.drawn(part, one, **draw) if one.shared?
            forecast(demand: estimates.call(part), rate:).estimate(one, trace)
          end)
        end

        def replayed? = current.replayed? && best.replayed?

        # The test of the whole recording, without its peak.
        def explained_test
          tested.first.result
        end

        # Explanations that the recording does not exclude, the one that counts first.
        def tested
          @tested ||= begin
            alone = new_self_test
            found = TestedArrivals.new(users: nil, result: alone.call)
            with_users = ways.filter_map { |assignments| explanation_with_users(assignments, alone) }
            likely = explained(with_users.min_by(&:misfit), found)
            counted = as_counted(found)
            likely = counted if likely.equal?(found)
            doubted([likely, *others(with_users, found, counted).reject { |one| one == likely }])
          end
        end

        # Arrivals that were counted fit as well where they waited for answers, so they don't tell users from
        # requests that come on their own: only when these do not wait too long are their bursts replayed.
        # @param found [TestedArrivals] requests that come independently of each other
        def as_counted(found)
          return found if whole_traffic.arrival_draws.nil? || recording.closed_load.closed?
          return found if found.result.causes.missing_waits?
          found.with(result: new_self_test(traffic: whole_traffic).call)
        end

        # Requests that come on their own and wait too long if they go to any process may go to the least busy
        # one, or their users may pause: of several processes, both may fit.
        def explanation_with_users(assignments, alone)
          found = alone.results.find { |result| result.assignments == assignments } || alone.call
          users = new_self_test(assignments:).users(found)
          TestedArrivals.new(users:, result: new_self_test(assignments:, users:).call) if users
        end

        # All that fit. Where all threads were busy, requests that come on their own would wait without end;
        # so would those of one process where they would wait longer than was measured, beyond chance.
        # @param counted [TestedArrivals] see as_counted
        def others(with_users, found, counted)
          alike = new_self_test.alike?
          return [] if now.processes == 1 && (alike || found.result.causes.missing_waits?)
          all = alike ? with_users : [*with_users, counted]
          all.reject { |one| one.result.grade == :c }
        end

        # The grade is lower where explanations differ in how many more requests faster answers bring.
        def doubted(explanations)
          likely, *others = explanations
          return explanations if others.empty?
          vagueness = ClosedLoad::ThinkingUsers.vagueness(explanations.map(&:users))
          causes = likely.result.causes.with_pauses(vagueness)
          grade = (likely.result.grade == :a && causes.doubtful?) ? :b : likely.result.grade
          [likely.with(result: likely.result.with(grade:, causes:)), *others]
        end

        def explained(best, found)
          return found unless best
          return best if users?(best, found)
          perhaps_users(best.users, found)
        end

        # A load test without pauses that fits excludes no users if all threads were always busy, though those
        # who were tried do not fit: predictions are of both.
        def perhaps_users(users, found)
          return found if found.result.grade == :c || !new_self_test.alike?
          users = users.perhaps
          causes = found.result.causes.with_pauses(users.vagueness)
          TestedArrivals.new(users:, result: found.result.with(grade: :b, causes:))
        end

        # Whether users explain the recording better. Where a replay without them fits as well because all
        # threads were busy, they are more likely: requests that come on their own would wait without end.
        def users?(with_users, found)
          alone = found.result
          return true if with_users.result.grade < alone.grade
          return false if with_users.result.grade == :c
          closer = found.misfit.last - with_users.misfit.last > SelfTest::TOLD_APART
          closer || new_self_test.alike?
        end

        # Assignments that a self-test can't tell apart, or one: the waits of users depend on it.
        def ways
          all = Forecast::ASSIGNMENTS.fetch(recording.kind)
          (now.processes == 1) ? [all] : all.zip
        end

        def new_self_test(assignments: Forecast::ASSIGNMENTS.fetch(recording.kind), users: nil,
          traffic: whole_traffic.independent)
          SelfTest.new(recording, traffic:, current: now,
            vcpus: limits.free_vcpus..limits.vcpus, assignments:, users:, units: 2 * units_of_replay,
            load: users ? ClosedLoad::NONE : recording.closed_load, others: limits.others, seed: @seed,
            cpus: @cpus)
        end

        def population_of(users)
          return if @open || recording.kind == :job
          return users.count(rate) if users
          recording.closed_load.peak * factor if recording.closed_load.closed?
        end

        # @return [Array<Search::ArrivalWay>] of the explanations that do not count most
        def other_ways
          return [] if @open
          tested.drop(1).flat_map do |other|
            result = other.result
            result.assignments.map do |assignment|
              Search::ArrivalWay.new(assignment:, users: other.users, population: population_of(other.users),
                handoffs: result.handoffs)
            end
          end
        end

        def whole_traffic
          @whole_traffic ||= traffic_of(recording.unit_samples, recording.arrivals)
        end

        def traffic_of(unit_samples, arrivals)
          Traffic.of(unit_samples, arrivals, covered: recording.covered, hosts: recording.hosts_by_minute,
            times: recording.arrival_times, pools: recording.pools,
            concurrent_units: recording.concurrent_units, speed: recording.speed_effect)
        end

        def minute_of(unit)
          unit.start_ns / NS / MINUTE_S * MINUTE_S
        end

        def busiest
          return recording.busiest(closed: false) if users
          peak_minutes.empty? ? recording.busiest : recording.busiest(peak_minutes)
        end

        # @return [Array<UnitSample>] of the busiest minutes; empty if they are too few, or another load is
        #   asked about
        def measured_units
          @measured_units ||= begin
            units = (factor == 1 && !@open) ? busiest : []
            (units.size < Sufficiency::FEWEST) ? [] : units
          end
        end

        def found_contradiction
          return if explained_test.grade == :c || recording.kind == :job || measured_units.empty?
          percentile = objective.slo.percentile
          found = SelfTest::PeakContradiction.new(percentile:, replayed_ns: peak_time(search.of(now)),
            measured_ns: Recording::UnitTimes.new(measured_units, queued: queued?).response(percentile))
          return if found.error.abs <= SelfTest::GRADES.key(:b)
          found if Math.log(found.replayed_ns.fdiv(found.measured_ns)).abs > peak_chance
        end

        # Response at the percentile of the objective.
        def peak_time(prediction) = prediction.responses.fetch(objective.slo.percentile, 0)

        # The logarithm of the response (long ones vary by factors) differs by so much by chance between the
        # replay and as many requests as the busiest minutes had, in 99 % of cases, because grade C takes all
        # advice back.
        def peak_chance
          units = [measured_units.sum(&:weight).round, units_of_replay].min
          logarithms = Array.new(PEAK_REPLAYS) do |index|
            trace = search.drawn(traffic, now, seed: @seed + index + 1, rate:, units:)
            Math.log(peak_time(forecast.call(now, trace, force: true)))
          end
          mean = logarithms.sum / PEAK_REPLAYS
          variance = logarithms.sum { |one| (one - mean)**2 } / (PEAK_REPLAYS - 1)
          PEAK_STUDENT * Math.sqrt(variance * (1 + 1.0 / PEAK_REPLAYS))
        end

        def queued?
          !recording.measured.queued_ns.nil?
        end

        # The replay's prediction with the times of these units.
        def with_times(units, replayed)
          times = Recording::UnitTimes.new(units, queued: queued?)
          percentiles = replayed.responses.keys
          replayed.with(queued_ns: times.queued_ns, stalled_ns: times.stalled_ns,
            response_ns: times.response_ns,
            responses: percentiles.to_h { |share| [share, times.response(share)] },
            waits: percentiles.to_h { |share| [share, times.wait(share)] })
        end

        def change?
          return @change unless @change.nil?
          @change = !best.nil? && best.candidate != now && (current.allowed? ? better? : gain > -HYSTERESIS)
        end

        # The present setting is booted anew too, at the next restart: that a boot is a draw is no reason to
        # keep it.
        def better?
          gain > HYSTERESIS && boots.alone.begin.positive?
        end

        def choice
          @choice ||= CandidateChoice.new(search.predictions, now:, objective:, bias:)
        end

        def search
          demand = estimates.call(traffic)
          @search ||= Search.new(recording, traffic:, demand:, now:, limits: fitted_limits,
            slo: objective.slo, rate:, units: units_of_replay, handoffs: explained_test.handoffs, seed: @seed,
            population:, users:, served:, assignments: explained_test.assignments, others: other_ways,
            constant_load: new_self_test.constant_load?, cpus: @cpus)
        end

        # @return [Float] units per second that a host served at the peak; where arrivals waited for answers,
        #   while all threads were busy
        def served
          return traffic.peak_rate unless population
          reached = explained_test.measured.throughput
          reached.is_a?(Array) ? 0.0 : reached.to_f
        end

        # The peak of a part underestimates the peak, but its mean estimates the mean.
        def trial(part, seed)
          there = rate * part.mean_rate / traffic.mean_rate
          draw = ->(share) {
            {seed:, rate: there, units: units_of_replay / (tested.any?(&:users) ? 1 : share)}
          }
          unless replayed?
            again = forecast(demand: estimates.call(part, seed:), rate: there, round: seed)
            return choice.gain(*both do |one|
              again.estimate(one, (search.drawn(part, one, **draw.call(4)) if one.shared?))
            end)
          end
          choice.gain(*both { |one| of_part(part, one, draw.call(2), round: seed) })
        end

        # A unit with many acquisitions takes long to replay, and shows as much as many short ones.
        def units_of_replay
          @units_of_replay ||= begin
            most = [HOLDS.fdiv(recording.demand.acquisitions + 1).floor, LEAST_UNITS].max
            [@units, most].min
          end
        end

        def both(&) = [now, best.candidate].map(&)

        # The best of the predicted settings, and gains against now: from replays, corrected by
        # PredictionBias.
        class CandidateChoice
          attr_reader :current

          def initialize(replayed, now:, objective:, bias:)
            @replayed = replayed
            @now = now
            @objective = objective
            @bias = bias
            @current = replayed.find { |prediction| prediction.candidate == now }
          end

          def predictions
            @predictions ||= @replayed.map { |prediction| @bias.apply(prediction, now: @now) }
          end

          def best
            return @best if defined?(@best)
            found = @objective.best(judged.select(&:allowed?), current)
            @best = found && of(predictions, found.candidate)
          end

          # @return [Float] see Objective#gain and PredictionBias#judged
          def gain_of(candidate)
            @objective.gain(current, of(judged, candidate))
          end

          # The gain between replays of now and of another setting, under other circumstances.
          def gain(before, after)
            @objective.gain(before, @bias.judged(after, before: current))
          end

          private

          def judged
            @judged ||= @replayed.map { |prediction| @bias.judged(prediction, before: current) }
          end

          def of(predictions, candidate)
            predictions.find { |prediction| prediction.candidate == candidate }
          end
        end
      end
    end
  end
end
