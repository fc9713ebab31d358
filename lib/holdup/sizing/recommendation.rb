# frozen_string_literal: true

module Holdup
  module Sizing
    # Keep, change, or unknown: from one recording of one setting, tries every other setting within the limits
    # at peak load. Pure: the same recording and seed, the same answer. docs/sizing.md explains the steps.
    #
    # A recording answers as an Observation does: `kind`, `demand` (ServiceDemand), `closed_load`
    # (ClosedLoad), `growth_estimate`, `idle_growth`, `growth` and `rest`
    # (CoherencyEstimator::IntervalEstimate or nil), `growths` (of each Series), `profiles` (UnitSample),
    # `arrivals` ({minute => units on all hosts}), `hosts_by_minute` ({minute => hosts that recorded}),
    # `covered` ({minute => seconds} of those recorded in part),
    # `units`, `processes` and `threads` (of one host, now),
    # `time_slice_ns`, `slices?`, `threaded?`, `io_threads?`, `measured` (SelfTest::MeasuredFigures), `pools`
    # (ThreadPools), `concurrent_units` (ConcurrentUnits or nil), `resource_wait_ns` (waits for pools and
    # locks per unit), `machine_speed` (Analysis::Machine::MachineSpeed) and `problems` (Symbols that forbid
    # an answer).
    class Recommendation
      # Users do not notice a smaller gain, and the recording's noise would reverse it every week.
      HYSTERESIS = 0.05
      DISTANCES = {2.0 => :high, 4.0 => :medium}.freeze
      # Acquisitions of the GVL in a replay, at most about; but not fewer units than a percentile needs.
      HOLDS = 500_000
      LEAST_UNITS = 1_500
      CONFIDENCES = %i[low medium high].freeze

      attr_reader :recording, :limits, :objective, :factor, :bias

      # @param factor [Float] of the recorded load
      # @param rounds [Integer] of the bootstrap; `units`: of each replay
      # @param open [Boolean] requests come on their own, also where they waited for answers when recorded
      # @param bias [PredictionBias] corrects predictions of settings other than the present one
      def initialize(recording, limits:, objective: Objective.new, factor: 1.0,
        rounds: Sufficiency::RecordingBootstrap::ROUNDS, units: Traffic::UNITS, seed: 1,
        bias: PredictionBias::NONE, open: false)
        @recording = recording
        @limits = limits
        @objective = objective
        @factor = factor
        @rounds = rounds
        @units = units
        @seed = seed
        @open = open
        @bias = bias
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

      # @return [Forecast::Prediction] of the present setting, with times measured in the busiest minutes; the
      #   replay, if too few units were recorded or another load is asked about
      def measured
        @measured ||= begin
          units = (factor == 1 && !@open) ? busiest : []
          (units.size < Sufficiency::FEWEST) ? current : with_times(units)
        end
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
        @interval ||= begin
          bootstrap = Sufficiency::RecordingBootstrap.new(traffic, rounds: @rounds, seed: @seed)
          range = bootstrap.interval(method(:assumption)) { |part, seed| trial(part, seed) }
          [range.begin, gain].min..[range.end, gain].max
        end
      end

      # @return [Symbol] :high, :medium or :low: with low, try it on half of the processes first
      def confidence
        distance = best.candidate.threads.fdiv(current.candidate.threads)
        by_distance = DISTANCES.find { |most, _| distance <= most }&.last || :low
        by_self_test = (self_test.grade == :a) ? :high : :medium
        [by_self_test, sufficiency.confidence, by_distance].min_by { |each| CONFIDENCES.index(each) }
      end

      def self_test
        @self_test ||= SelfTest.new(recording, traffic: whole_traffic, current: now,
          vcpus: limits.free_vcpus..limits.vcpus,
          assignments: Forecast::ASSIGNMENTS.fetch(recording.kind), units: 2 * units_of_replay,
          load: recording.closed_load, others: limits.others, seed: @seed).call
      end

      # @return [ResourceLimits] with the CPUs that fit the recording
      def fitted_limits
        limits.fitted(self_test.vcpus)
      end

      def sufficiency
        @sufficiency ||= Sufficiency.new(traffic, units: recording.units).call
      end

      # @return [Integer] threads by Amdahl's law and the rule of +5 %
      def amdahl
        Analysis::Amdahl.suggestion(recording.demand.idle_share)
      end

      # @return [Float] units per second and host at peak
      def rate = traffic.peak_rate * factor

      # @return [Numeric, nil] requests of a host in the system at peak, if arrivals waited for answers. Jobs
      #   wait in a queue of any length: more threads take more of them.
      def population
        return if @open || recording.kind == :job || !recording.closed_load.closed?
        recording.closed_load.peak * factor
      end

      # What the peak is drawn from.
      def traffic
        @traffic ||= if peak_minutes.empty?
          whole_traffic
        else
          busy = peak_minutes.to_set
          profiles = recording.profiles.select { |unit| busy.include?(minute_of(unit)) }
          traffic_of(profiles, recording.arrivals.slice(*peak_minutes))
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

      def whole_traffic
        @whole_traffic ||= traffic_of(recording.profiles, recording.arrivals)
      end

      def traffic_of(profiles, arrivals)
        Traffic.of(profiles, arrivals, covered: recording.covered, hosts: recording.hosts_by_minute,
          pools: recording.pools, concurrent_units: recording.concurrent_units)
      end

      def minute_of(unit)
        unit.start_ns / Traffic::NS / Traffic::MINUTE_S * Traffic::MINUTE_S
      end

      def busiest
        peak_minutes.empty? ? recording.busiest : recording.busiest(peak_minutes)
      end

      # The replay's prediction with the times of these units.
      def with_times(units)
        times = Observation::UnitTimes.new(units, queued: !recording.measured.queued_ns.nil?)
        percentiles = current.responses.keys
        current.with(queued_ns: times.queued_ns, stalled_ns: times.stalled_ns, response_ns: times.response_ns,
          responses: percentiles.to_h { |share| [share, times.response(share)] },
          waits: percentiles.to_h { |share| [share, times.wait(share)] })
      end

      def change?
        return @change unless @change.nil?
        @change = !best.nil? && best.candidate != now && (current.allowed? ? better? : gain > -HYSTERESIS)
      end

      def better?
        gain > HYSTERESIS && interval.begin.positive?
      end

      def choice
        @choice ||= CandidateChoice.new(search.predictions, now:, objective:, bias:)
      end

      def search
        demand = estimates.call(traffic)
        @search ||= Search.new(recording, traffic:, demand:, now:, limits: fitted_limits,
          slo: objective.slo, rate:, units: units_of_replay, handoffs: self_test.handoffs, seed: @seed,
          population:, assignments: self_test.assignments)
      end

      # The peak of a part underestimates the peak, but its mean estimates the mean.
      def trial(part, seed)
        there = rate * part.mean_rate / traffic.mean_rate
        draw = ->(share) { {seed:, rate: there, units: units_of_replay / share} }
        unless current.replayed? && best.replayed?
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

      # The best of the predicted settings, and gains against now: from replays, corrected by PredictionBias.
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
