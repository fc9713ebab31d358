# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # The answer of a Recommendation, as one value: every page and report of an advice is made of it, at
      # once or from the store, in any language.
      #
      # - `verdict`, `reasons`, `why`, `gain`, `interval`, `confidence`: see Recommendation
      # - `recording`: RecordingFacts; `limits`: ResourceLimits; `objective`: Objective; `bias`: {Symbol =>
      #   PredictionBias::BiasCorrection}; `misses`: see PredictionBias; `boots`: WidenedGain or nil;
      #   `amdahl`: threads, nil without units that held the GVL
      # - `rate`: units per second and host at the peak, nil if nothing arrived; `peak_minutes`: number of
      #   minutes that alone are the peak, because of their mix; `peak`: SelfTest::PeakContradiction or nil
      # - `users`: ClosedLoad::ThinkingUsers or nil; `self_test`: SelfTest::SelfTestResult; `sufficiency`:
      #   Sufficiency::SufficiencyResult. With the verdict :unknown each of them is nil, unless it is the
      #   reason
      # - `dominance`: Dominance::DominanceResult, what is certain although the self-test fails, or nil
      # - `now`: Candidate; `current`, `measured`, `best` and each of `predictions`: Forecast::Prediction;
      #   `pools`: PoolSides. Empty with the verdict :unknown, and `best` if nothing fits
      AdviceResult = Data.define(
        :kind, :verdict, :reasons, :why, :gain, :interval, :confidence, :recording, :limits, :objective,
        :bias, :misses, :boots,
        :amdahl, :rate, :peak_minutes, :peak, :users, :self_test, :sufficiency, :now, :current, :measured,
        :best, :predictions, :pools, :dominance
      ) do
        def initialize(kind:, verdict:, reasons:, recording:, limits:, objective:, **rest)
          super(kind:, verdict:, reasons:, recording:, limits:, objective:, **self.class::UNKNOWN, **rest)
        end

        # Whether the latest predictions were wrong, see PredictionBias.
        def wrong_again? = misses >= PredictionBias::WRONG_AGAIN

        # Whether the times of the present setting were measured; else they were replayed.
        def measured? = measured != current

        # Whether replays of the busiest minutes contradict what was measured in them.
        def peak_contradicted? = !peak.nil?
      end

      # What the verdict :unknown leaves out.
      AdviceResult::UNKNOWN = {
        why: nil, gain: 0.0, interval: nil, confidence: nil, bias: {}, misses: 0, boots: nil,
        amdahl: nil, rate: nil,
        peak_minutes: 0,
        peak: nil, users: nil, self_test: nil, sufficiency: nil, now: nil, current: nil, measured: nil,
        best: nil, predictions: [], pools: [], dominance: nil
      }.freeze

      # What an advice says of its recording.
      #
      # - `setting`: fingerprint, or nil; `units`: requests or jobs; `unit_samples`: number of those that were
      #   recorded singly; `closed`: whether they waited for answers; `concurrent_units`: whether requests and
      #   jobs share processes; `arrivals`: :recorded if replays have the arrivals that were counted, else
      #   :independent
      # - `cold_share`: share of the units that came from processes in their first minutes, if that forbids an
      #   answer; else nil
      # - `held_ns`, `acquisitions`, `idle_share`: of a mean unit; nil if none held the GVL
      # - `growth_estimate`, `idle_growth`, `rest` and those of each Series in `growths`:
      #   CoherencyEstimator::IntervalEstimate or nil
      # - `warnings`: {Symbol => Hash} see Recording#warnings
      AdviceResult::RecordingFacts = Data.define(
        :setting, :units, :unit_samples, :closed, :concurrent_units, :cold_share, :held_ns, :acquisitions,
        :idle_share, :growth_estimate, :idle_growth, :rest, :growths, :warnings, :arrivals
      ) do
        def initialize(growth_estimate: nil, idle_growth: nil, rest: nil, growths: {}, warnings: {},
          arrivals: :independent, **others)
          super
        end

        # @return [CoherencyEstimator::IntervalEstimate, nil] nil unless concurrency certainly costs something
        def growth
          growth_estimate if growth_estimate&.grows?
        end
      end

      # A pool of threads, now and with the best setting: PoolThroughput, nil where no unit of it was
      # recorded.
      AdviceResult::PoolSides = Data.define(:name, :current, :best)
    end
  end
end
