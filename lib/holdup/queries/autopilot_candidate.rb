# frozen_string_literal: true

module Holdup
  module Queries
    # The threads that the autopilot should try next: of the settings that differ from the present one in
    # nothing else, the best that no limit of the host or the database forbids. And what speaks against it.
    class AutopilotCandidate
      LATELY_S = 600
      FRESH_S = 300
      DAY_S = 86_400
      HOUR_S = 3600
      # Of an experiment after its A/A phase; as long as a tenth less needs to be shown.
      LENGTH_S = (HOUR_S..6 * HOUR_S)
      EFFECT = 0.1

      # @param store [Store::Sql] of the host
      # @param goal [ConfigurationKeys::AutopilotGoal]
      # @param from_s [Integer] start of the recording; since then the setting is the same
      def initialize(store, goal:, from_s:, now_s:)
        @store = store
        @goal = goal
        @span = {from_s:, to_s: now_s}
        @now_s = now_s
      end

      # @return [Hash{Symbol => Object}] threads, why, reason (of no answer), grade, fresh, load, planned_s
      def call
        grade = found.self_test.grade if known?
        threads = best&.candidate&.caps&.first
        {threads:, why:, reason:, grade:, fresh:, load: load&.round(3), planned_s:}
      end

      private

      def found
        return @found if defined?(@found)
        slo = Sizing::Slo.parse(@goal.slo)
        objective = Sizing::Objective.new(:latency, slo:)
        @found = SizingInputs.new(@store, **@span, kind: :request, objective:).recommendation
      end

      def known? = !found.nil? && found.reasons.empty?

      # @return [String, nil]
      def reason
        return "no_recording" unless found
        found.reasons.join(", ") unless known?
      end

      # @return [Sizing::Prediction, nil] nil: the present threads are the best
      def best
        return unless known?
        return @best if defined?(@best)
        found_best = found.objective.best(allowed, found.current)
        gain = found_best ? found.gain_of(found_best.candidate) : 0.0
        @best = (gain > Sizing::Recommendation::HYSTERESIS) ? found_best : nil
      end

      def allowed
        found.predictions.select do |prediction|
          candidate = prediction.candidate
          prediction.allowed? && (candidate.differences(found.now) - [:threads]).empty? &&
            @goal.threads.cover?(candidate.caps.first)
        end
      end

      def why
        return unless best
        gain = found.gain_of(best.candidate)
        "the replay expects #{(100 * gain).round} % less wait at #{found.objective.slo.name}"
      end

      def requests(from_s)
        @store.windows(from_s, @now_s + 1, kinds: [:request], histograms: []).to_a
      end

      def lately = @lately ||= requests(@now_s - LATELY_S)

      def fresh = lately.any? { |window| window.count.positive? && window.end_s >= @now_s - FRESH_S }

      # @return [Float, nil] requests of the last minutes against those of a day
      def load
        day = {from_s: @now_s - DAY_S, to_s: @now_s}
        span = RecordedInterval.call(@store, **day, kinds: [:request]) or return
        count = @store.sums(span.from_s, span.to_s, kinds: [:request]).sum { |row| row.window.count }
        usual = count.fdiv([span.to_s - span.from_s, 1].max)
        lately.sum(&:count).fdiv(LATELY_S) / usual if usual.positive?
      end

      def planned_s
        filter = Analysis::UnitFilter.new(kind: :request)
        effect = ExperimentArms.new(@store, **@span, filter:).outlook&.effects&.first
        (effect&.seconds(EFFECT) || LENGTH_S.max / 3).clamp(LENGTH_S)
      end
    end
  end
end
