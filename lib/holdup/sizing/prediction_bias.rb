# frozen_string_literal: true

module Holdup
  module Sizing
    # What earlier predictions of this application were off by corrects those of other settings: a factor for
    # each figure.
    #
    # An outcome says by what factor a prediction was off beyond what the self-test of its recording was: two
    # replays are compared, and what both lack cancels. Chance and other work are in it as well, so the mean
    # of n of them (of logarithms: twice and half cancel) is shrunk to 1 by n / (n + SCATTER).
    #
    # Source: James & Stein 1961, Efron & Morris 1975 (empirical Bayes): the best weight of a mean of n is n /
    # (n + variance of one / variance of what is to be estimated between applications).
    class PredictionBias
      # On one application, predictions of other settings were 3 % apart beyond the self-test, under equal
      # load (docs/measurements/predictions.md); 5 to 10 % of other days and 2.5 to 5 % between applications
      # are taken: a deviation of one that is twice as large.
      SCATTER = 4
      # An outcome further off is other work or another machine, and counts as this.
      FURTHEST = 1.25
      # Of the response. Next to it a wait of 1 ms instead of 2 is no error.
      SMALL_WAIT = 0.1
      MEDIAN = 0.5

      # `predictions`: how many; `ratio`: measured against predicted, on average; `factor`: what follows for
      # others
      BiasCorrection = Data.define(:predictions, :ratio, :factor)

      # @return [Hash{Symbol => BiasCorrection}] of :response, :p95 and :wait; empty where nothing was learned
      attr_reader :corrections

      # @param outcomes [Array<PredictionOutcome>] of any application
      # @param recording [Observation] that predictions are made from
      # @return [PredictionBias] by those of the same application, kind of units and pool
      def self.of(outcomes, recording)
        wanted = whose(recording)
        enough = outcomes.select { |outcome| outcome.units >= Sufficiency::UNITS }
        new(enough.select { |outcome| outcome.to_h.slice(*wanted.keys) == wanted })
      end

      # @return [Hash{Symbol => Object}] of an Outcome: whose units they are, the busiest pool's of jobs where
      #   a process has several
      def self.whose(recording)
        pool = (recording.kind == :job) ? recording.pools.names.first.to_s : ""
        {app: Analysis::ApplicationShares.name(recording.setting), kind: recording.kind, pool:}
      end

      # @param outcomes [Array<PredictionOutcome>] all of them count
      def initialize(outcomes = [])
        ratios = outcomes.flat_map do |outcome|
          outcome.figures.keys.map { |name| [name, Math.log(ratio(outcome.figures, name))] }
        end
        @corrections = ratios.group_by(&:first).transform_values { |same| correction(same.map(&:last)) }
      end

      # @return [Boolean] whether nothing was learned
      def none? = corrections.empty?

      # @param now [Candidate] the setting that was recorded: of it nothing is corrected
      # @return [Prediction] as it is likely to come out
      def apply(prediction, now:)
        (prediction.candidate == now) ? prediction : corrected(prediction) { |name| factor(name) }
      end

      # The same to be compared with what is now. Changing for nothing is the dearer mistake, so what is
      # better only because earlier predictions were too high is not better. And what breaks a limit is not
      # kept for a correction.
      # @param before [Prediction] of the setting that was recorded
      # @return [Prediction] as it is likely to come out, or as it was predicted where that is worse
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

      def against(measured_ns, predicted_ns, beside_ns)
        [measured_ns + beside_ns, 1].max.fdiv([predicted_ns + beside_ns, 1].max)
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
