# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Errors of earlier predictions of this application correct those of other settings, per figure.
      #
      # An outcome is the factor by which a prediction was off beyond the self-test of its recording: errors
      # common to both replays cancel. Chance and other work are in it as well, so the mean of n of them (of
      # logarithms: twice and half cancel) is shrunk to 1 by n / (n + SCATTER).
      #
      # Source: James & Stein 1961, Efron & Morris 1975 (empirical Bayes): the best weight of a mean of n is n
      # / (n + variance of one / variance of what is to be estimated between applications).
      class PredictionBias
        # Predictions of other settings of one application were 3 % apart beyond the self-test, under equal
        # load (docs/measurements/predictions.md). Assumed: 5 to 10 % on other days and 2.5 to 5 % between
        # applications: deviations in a ratio of two.
        SCATTER = 4
        # An outcome further off has other causes (other work, another machine), and counts as this.
        FURTHEST = 1.25
        # Share of the response below which an error of a wait does not matter.
        SMALL_WAIT = 0.1
        MEDIAN = 0.5
        # A model whose interval was wrong so often in a row may be wrong here; one miss in ten is chance.
        WRONG_AGAIN = 2

        # `predictions`: number; `ratio`: mean of measured against predicted; `factor`: correction of others
        BiasCorrection = Data.define(:predictions, :ratio, :factor)

        # @return [Hash{Symbol => BiasCorrection}] of :response, :p95 and :wait; empty without outcomes
        attr_reader :corrections

        # @return [Integer] how many of the latest outcomes, in a row, were outside the interval of their p95
        #   response; those whose interval was not kept do not count
        attr_reader :misses

        # The bias from outcomes of the same application, kind of units and pool as those of the recording.
        def self.of(outcomes, recording)
          wanted = whose(recording)
          enough = outcomes.select { |outcome| outcome.units >= Sufficiency::UNITS }
          new(enough.select { |outcome| outcome.to_h.slice(*wanted.keys) == wanted })
        end

        # Attributes that identify the units of a PredictionOutcome: of several pools, the busiest one's.
        def self.whose(recording)
          pool = (recording.kind == :job) ? recording.pools.names.first.to_s : ""
          {app: Analysis::ApplicationShares.name(recording.setting), kind: recording.kind, pool:}
        end

        def initialize(outcomes = [])
          ratios = outcomes.flat_map do |outcome|
            outcome.figures.keys.map { |name| [name, Math.log(ratio(outcome.figures, name))] }
          end
          @corrections = ratios.group_by(&:first).transform_values { |same| correction(same.map(&:last)) }
          known = outcomes.sort_by { |outcome| -outcome.at_s }.map { |outcome| outcome.inside?(:p95) }.compact
          @misses = known.take_while { |inside| !inside }.size
        end

        def none? = corrections.empty?

        # Whether the latest predictions were wrong, beyond chance.
        def wrong_again? = misses >= WRONG_AGAIN

        # @param now [Candidate] the recorded setting: its prediction is not corrected
        def apply(prediction, now:)
          (prediction.candidate == now) ? prediction : corrected(prediction) { |name| factor(name) }
        end

        # Does what `apply` does, for comparison with the present: a needless change is the costlier mistake,
        # so a correction may not make a setting better than replayed, nor keep a present one that breaks a
        # limit. `before`: the prediction of the recorded setting.
        def judged(prediction, before:)
          return prediction if prediction.candidate == before.candidate || !before.allowed?
          corrected(prediction) { |name| [factor(name), 1.0].max }
        end

        private

        def correction(logs)
          furthest = Math.log(FURTHEST)
          weight = logs.size.fdiv(logs.size + SCATTER)
          BiasCorrection.new(predictions: logs.size, ratio: Math.exp(mean(logs)),
            factor: Math.exp(weight * mean(logs.map { |log| log.clamp(-furthest, furthest) })))
        end

        def mean(values) = values.sum / values.size

        def factor(name)
          corrections[name]&.factor || 1.0
        end

        def ratio(figures, name)
          figure = figures.fetch(name)
          small_before, small_since = small_waits(figures, name)
          since = against(figure.measured_ns, figure.predicted_ns, small_since)
          since / against(figure.recorded_ns, figure.replayed_ns, small_before)
        end

        def small_waits(figures, name)
          return [0, 0] unless name == :wait
          response = figures.fetch(:response)
          [SMALL_WAIT * response.recorded_ns, SMALL_WAIT * response.measured_ns]
        end

        def against(measured_ns, predicted_ns, small_ns)
          [measured_ns + small_ns, 1].max.fdiv([predicted_ns + small_ns, 1].max)
        end

        def corrected(prediction)
          return prediction if none? || !prediction.replayed?
          wait, response, tail = %i[wait response p95].map { |name| yield name }
          means = prediction.to_h.slice(:queued_ns, :stalled_ns, :handoff_ns)
          responses = prediction.responses.to_h do |share, ns|
            factor = (share > MEDIAN) ? tail : response
            [share, (ns * factor).round]
          end
          prediction.with(**means.transform_values { |ns| ns && ns * wait },
            response_ns: prediction.response_ns * response, responses:,
            waits: prediction.waits.transform_values { |ns| (ns * wait).round })
        end
      end

      PredictionBias::NONE = PredictionBias.new
    end
  end
end
