# frozen_string_literal: true

require_relative "../spread"
require_relative "forecast"

module Holdup
  module Lab
    class Jobs
      # What was measured at each concurrency beside what the baseline's run of the same round had let expect. Errors are taken
      # round by round: what slows a whole round down then cancels.
      class Result
        # The fewest threads with so much of the most throughput are enough.
        ENOUGH = 0.9
        # CPU of a job beyond that share more or less than in the recording is nothing that a prediction knows.
        OTHER_COST = 0.1
        # Waits for locks beyond this share of the threads' time are the limit, and no model knows them.
        LOCKED = 0.1

        # One concurrency. `pairs`: [Outcome, Forecast of its round] of each round
        Line = Data.define(:threads, :pairs) do
          # @return [Array<Outcome>]
          def outcomes = pairs.map(&:first)

          # @yieldparam outcome [Outcome]
          # @return [Numeric] the median of the rounds
          def median(&) = Spread.of(outcomes.map(&)).median

          # @return [Float] jobs per second
          def measured = median(&:throughput)

          # @param way [Symbol] :replay, :closed or :amdahl
          # @return [Float] jobs per second
          def predicted(way = :replay) = Spread.of(pairs.map { |_, forecast| forecast.public_send(way, threads) }).median

          # @param way [Symbol]
          # @return [Spread] of the rounds, 0.03: 3 % too many jobs were expected
          def errors(way = :replay) = Spread.of(pairs.map { |outcome, forecast| forecast.public_send(way, threads) / outcome.throughput - 1 })

          # @return [Float]
          def error(way = :replay) = errors(way).median
        end

        # @return [Integer]
        attr_reader :baseline

        # @param outcomes [Array<Outcome>] in the order in which they were measured: each round begins with the baseline
        # @param baseline [Integer] threads
        # @param stopped [Boolean] before all were measured
        def initialize(outcomes, baseline:, stopped: false)
          @outcomes = outcomes
          @baseline = baseline
          @stopped = stopped
        end

        def stopped? = @stopped

        # @return [Array<Line>] ascending
        def lines
          @lines ||= rounds.flat_map { |round| (forecast = Forecast.new(round.first)) && round.map { |outcome| [outcome, forecast] } }
            .group_by { |outcome, _| outcome.threads }.sort.map { |threads, pairs| Line.new(threads:, pairs:) }
        end

        # @return [Line]
        def base = lines.find { |line| line.threads == baseline }

        # @return [Array<Line>] all but the baseline
        def others = lines - [base]

        # @param way [Symbol]
        # @return [Float] the largest error, without its sign, of the others
        def worst(way = :replay) = others.map { |line| line.error(way).abs }.max || 0.0

        # @return [Line] the fewest threads that do nearly as much as any
        def enough = lines.find { |line| line.measured >= ENOUGH * lines.map(&:measured).max }

        # @return [Array<Line>] whose threads wait for locks so much that these are the limit
        def locked = lines.select { |line| line.median(&:lock_share) > LOCKED }

        # @return [Line, nil] whose jobs cost a CPU time unlike the recording's, most of all
        def dearest = others.select { |line| cost(line).abs > OTHER_COST }.max_by { |line| cost(line).abs }

        # @param line [Line]
        # @return [Float] share of CPU time that a job cost more than in the recording
        def cost(line) = [line, base].map { |each| each.median { |outcome| outcome.mean(:cpu_ns) } }.then { |here, recorded| here / recorded - 1 }

        # @return [Integer] jobs that failed
        def errors = @outcomes.sum(&:errors)

        # @return [Integer] jobs that were measured
        def count = @outcomes.sum(&:count)

        # @return [Integer]
        def round_count = rounds.size

        # @return [Setting] of the baseline
        def setting = base.outcomes.first.recording.setting

        private

        def rounds = @rounds ||= @outcomes.slice_before { |outcome| outcome.threads == baseline }.to_a
      end
    end
  end
end
