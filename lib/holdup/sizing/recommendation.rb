# frozen_string_literal: true

module Holdup
  module Sizing
    # Keep, change, or nobody can say: from one recording of one setting, every other setting within the
    # limits, tried at peak load. Pure: the same recording and seed, the same answer.
    #
    # A recording answers as an Observation does: `kind`, `demand` (ServiceDemand), `growth_estimate`,
    # `growth` and `rest` (CoherencyEstimator::IntervalEstimate or nil), `growths` (of each Series),
    # `profiles` (UnitSample), `arrivals` ({minute => units on all hosts}), `units`, `processes` and `threads`
    # (of one host, now), `time_slice_ns`, `slices?` (whether this Ruby can change it), `threaded?` and
    # `io_threads?` (whether the server can have such), `measured` (SelfTest::MeasuredFigures), `pools`
    # (Pools), `concurrent_units` (ConcurrentUnits or nil), `wait_beside_ns` (waits for pools and locks per
    # unit) and `problems` (Symbols that forbid an answer).
    #
    # The order of its steps, and what each stands on: docs/sizing.md.
    class Recommendation
      # Better by less, and nobody notices; the recording's noise, though, would turn it round every week.
      HYSTERESIS = 0.05
      DISTANCES = {2.0 => :high, 4.0 => :medium}.freeze
      CONFIDENCES = %i[low medium high].freeze

      attr_reader :recording, :limits, :objective, :factor, :bias

      # @param factor [Float] of the recorded load
      # @param rounds [Integer] of the bootstrap
      # @param units [Integer] of each replay
      # @param bias [PredictionBias] what earlier predictions were off by: corrects other settings than that
      #   of now
      def initialize(recording, limits:, objective: Objective.new, factor: 1.0,
        rounds: RecordingBootstrap::ROUNDS, units: Traffic::UNITS, seed: 1, bias: PredictionBias::NONE)
        @recording = recording
        @limits = limits
        @objective = objective
        @factor = factor
        @rounds = rounds
        @units = units
        @seed = seed
        @bias = bias
      end

      # @return [Symbol] :keep, :change, or :unknown
      def verdict
        return :unknown if reasons.any?
        change? ? :change : :keep
      end

      # @return [Array<Symbol>] why nobody can say; empty otherwise
      def reasons
        @reasons ||= if recording.problems.any? then recording.problems
        elsif limits.vcpus.nil? then [:vcpus_unknown]
        elsif traffic.empty? || sufficiency.too_little? then [:not_enough]
        elsif self_test.grade == :c then [:self_test, *self_test.reasons]
        else []
        end
      end

      # @return [Symbol] why so: :better, :guard (what there is now breaks a limit), :nothing_fits,
      #   :best_already, :too_little_gain
      def why
        return :nothing_fits unless best
        return (best.candidate == current.candidate) ? :best_already : :too_little_gain unless change?
        current.allowed? ? :better : :guard
      end

      # @return [Prediction] of the setting as it is
      def current = choice.current

      # @return [Prediction, nil] the best of those that may be
      def best = choice.best

      # @return [Array<Prediction>] see Search and PredictionBias#apply
      def predictions = choice.predictions

      # @return [Float] of the best against now
      def gain
        @gain ||= best ? gain_of(best.candidate) : 0.0
      end

      # @param candidate [Candidate] one of the predicted
      # @return [Float] of it against now
      def gain_of(candidate) = choice.gain_of(candidate)

      # @return [Range<Float>] 90 % of that gain
      def interval
        @interval ||= begin
          bootstrap = RecordingBootstrap.new(traffic, rounds: @rounds, seed: @seed)
          range = bootstrap.interval { |part, seed| trial(part, seed) }
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
        @self_test ||= SelfTest.new(recording, traffic:, current: now,
          vcpus: limits.free_vcpus..limits.vcpus,
          assignments: Forecast::ASSIGNMENTS.fetch(recording.kind), units: 2 * @units, seed: @seed).call
      end

      def sufficiency
        @sufficiency ||= Sufficiency.new(traffic, units: recording.units).call
      end

      # @return [Integer] what Amdahl's law and the rule of +5 % would say
      def amdahl
        Analysis::Amdahl.suggestion(recording.demand.idle_share)
      end

      # @return [Float] units per second and host at peak
      def rate = traffic.peak_rate * factor

      def traffic
        @traffic ||= Traffic.of(recording.profiles, recording.arrivals, hosts: limits.hosts,
          pools: recording.pools, concurrent_units: recording.concurrent_units)
      end

      # @return [ServiceDemand::DemandEstimates] of what a unit asks for
      def estimates
        @estimates ||= ServiceDemand::DemandEstimates.new(recording, traffic)
      end

      def now = @now ||= Candidate.of(recording)

      # @return [Prediction] of any other candidate at the same load
      def of(candidate)
        bias.apply(search.of(candidate), now:)
      end

      # @return [Array<PoolThroughput, nil>] see Search
      def pools_of(candidate) = search.pools_of(candidate)

      # @return [Forecast] see Search
      def forecast(...) = search.forecast(...)

      private

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
        @search ||= Search.new(recording, traffic:, now:, limits: limits.with(free: self_test.vcpus),
          slo: objective.slo, rate:, units: @units, handoff_ns: self_test.handoff_ns, seed: @seed)
      end

      # The peak of a part is no estimate of the peak (it is lower), but its mean is one of the mean.
      def trial(part, seed)
        there = rate * part.mean_rate / traffic.mean_rate
        again = forecast(demand: estimates.call(part, seed:), rate: there)
        drawn = ->(one, share) { search.drawn(part, one, seed:, rate: there, units: @units / share) }
        unless current.replayed? && best.replayed?
          return choice.gain(*both { |one| again.estimate(one, (drawn.call(one, 4) if one.shared?)) })
        end
        choice.gain(*both { |one| again.call(one, drawn.call(one, 2), force: true) })
      end

      def both(&) = [now, best.candidate].map(&)

      # Which of the predicted settings it is to be, and by how much one is better than now: by replays, as
      # what earlier predictions were off by corrects them.
      class CandidateChoice
        # @return [Prediction] of the setting as it is
        attr_reader :current

        def initialize(replayed, now:, objective:, bias:)
          @replayed = replayed
          @now = now
          @objective = objective
          @bias = bias
          @current = replayed.find { |prediction| prediction.candidate == now }
        end

        # @return [Array<Prediction>] all of them, see PredictionBias#apply
        def predictions
          @predictions ||= @replayed.map { |prediction| @bias.apply(prediction, now: @now) }
        end

        # @return [Prediction, nil] the best of those that may be
        def best
          return @best if defined?(@best)
          found = @objective.best(judged.select(&:allowed?), current)
          @best = found && of(predictions, found.candidate)
        end

        # @param candidate [Candidate] of one of them
        # @return [Float] see Objective#gain and PredictionBias#judged
        def gain_of(candidate)
          @objective.gain(current, of(judged, candidate))
        end

        # @param before [Prediction] of now, and `after` of another setting: both as they were replayed under
        #   other circumstances
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
