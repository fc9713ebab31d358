# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # How right earlier predictions were: the outcomes that a store has, in numbers.
      class TrackRecord
        # `name`: :response, :p95 or :wait; `predictions`: how many have it; `median_error`: of them, as a
        # share (of the response where it is a wait), without its sign; `close`: share that was at most a
        # tenth off, which `--verify` calls kept; `intervals`: how many have a 90 % interval, and `inside`:
        # of those, how many measurements were inside it
        FigureRecord = Data.define(:name, :predictions, :median_error, :close, :intervals, :inside) do
          # @return [Integer] predictions that were at most a tenth off
          def close_ones = (close * predictions).round

          # @return [Float, nil] of the measurements; nil without an interval
          def inside_share = (inside.fdiv(intervals) unless intervals.zero?)
        end

        # What a sentence says.
        MAIN = :p95

        # @return [Array<PredictionOutcome>] that count, the latest first
        attr_reader :outcomes

        # @param outcomes [Array<PredictionOutcome>]
        # @param kind [Symbol] of the units
        # @param app [String, nil] as PredictionOutcome has it; nil for all
        def initialize(outcomes, kind:, app: nil)
          own = outcomes.select do |outcome|
            outcome.kind == kind && outcome.units >= Sufficiency::UNITS && [nil, outcome.app].include?(app)
          end
          @outcomes = own.sort_by { |outcome| -outcome.at_s }
        end

        def none? = outcomes.empty?

        # @return [Array<FigureRecord>] of those that any outcome has
        def figures
          Verification::NAMES.filter_map { |name| figure(name) }
        end

        # @return [FigureRecord, nil] of the p95 response; nil without any
        def main = figure(MAIN)

        private

        def figure(name)
          errors = outcomes.filter_map { |outcome| outcome.error(name)&.abs }.sort
          return if errors.empty?
          inside = outcomes.map { |outcome| outcome.inside?(name) }.compact
          FigureRecord.new(name:, predictions: errors.size, median_error: median(errors),
            intervals: inside.size, inside: inside.count(true),
            close: errors.count { |error| error <= Verification::VerifiedFigure::CLOSE }.fdiv(errors.size))
        end

        def median(sorted)
          sorted.values_at((sorted.size - 1) / 2, sorted.size / 2).sum / 2
        end
      end
    end
  end
end
