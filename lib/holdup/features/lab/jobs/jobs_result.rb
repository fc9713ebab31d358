# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # The measurement of each concurrency and the prediction from the baseline's run in the same round.
      # Errors are computed per round, so that a disturbance of a whole round cancels.
      class JobsResult < LedgerFile::ExperimentResult
        # Threads are enough at this share of the highest throughput.
        ENOUGH = 0.9
        # No prediction holds if the CPU of a job differs from the recording by more than this share.
        OTHER_COST = 0.1
        # Waits for locks above this share of the threads' time limit the throughput, and no model includes
        # them.
        LOCKED = 0.1

        # One concurrency; `again`: the second run of the baseline. `pairs`: [JobsMeasurement,
        # PredictedThroughput of its round] of each round
        ConcurrencyLine = Data.define(:threads, :again, :pairs) do
          def readings = pairs.map(&:first)

          # @return [Numeric] the median of the rounds
          def median(&) = Spread.of(readings.map(&)).median

          # @return [Float] jobs per second
          def measured = median(&:throughput)

          # @param way [Symbol] :replay, :closed or :amdahl
          # @return [Float] jobs per second
          def predicted(way = :replay)
            Spread.of(pairs.map { |_, expected| expected.public_send(way) }).median
          end

          # @return [Spread] of the rounds; 0.03: the prediction was 3 % too high
          def errors(way = :replay)
            Spread.of(pairs.map { |reading, expected| expected.public_send(way) / reading.throughput - 1 })
          end

          def error(way = :replay) = errors(way).median
        end

        # @return [Integer] threads
        def baseline = plan.baseline

        # @return [Array<ConcurrencyLine>] ascending, each concurrency once
        def lines = @lines ||= all.reject(&:again)

        # @return [ConcurrencyLine, nil] the baseline's second runs
        def again = all.find(&:again)

        # @return [Float, nil] the largest difference of two runs of the baseline: smaller ones are chance;
        #   nil before there are two
        def noise
          return unless again
          first = base.readings.to_h { |reading| [reading.round, reading.throughput] }
          again.readings.map { |reading| (reading.throughput / first.fetch(reading.round) - 1).abs }.max
        end

        def base
          lines.find { |line| line.threads == baseline }
        end

        # @return [Array<ConcurrencyLine>] all but the baseline
        def others = lines - [base]

        # @return [Float] the largest absolute error of the others
        def worst(way = :replay)
          others.map { |line| line.error(way).abs }.max || 0.0
        end

        # @return [ConcurrencyLine] the fewest threads with nearly the highest throughput
        def enough
          lines.find { |line| line.measured >= ENOUGH * lines.map(&:measured).max }
        end

        # @return [Boolean] whether more threads than tried may raise throughput
        def open_ended?
          left.zero? && enough == lines.last && enough.median(&:gvl_share) < ENOUGH
        end

        # @return [Array<ConcurrencyLine>] limited by waits for locks
        def locked
          lines.select { |line| line.median(&:lock_share) > LOCKED }
        end

        # @return [ConcurrencyLine, nil] whose CPU time of a job differs most from the recording's
        def dearest
          others.select { |line| cost(line).abs > OTHER_COST }.max_by { |line| cost(line).abs }
        end

        # @return [Float] additional CPU time of a job compared with the recording, as a share
        def cost(line)
          here, recorded = [line, base].map { |each| each.median { |reading| reading.mean(:cpu_ns) } }
          here / recorded - 1
        end

        # @return [Integer] jobs that failed
        def errors = @ledger.readings.sum(&:errors)

        # @return [Integer] measured jobs
        def count = @ledger.readings.sum(&:count)

        def round_count = rounds.size

        # @return [Hash{String => Object}] facts of the baseline
        def setting = base.readings.first.setting

        private

        # Each round begins with the recording.
        def rounds
          @rounds ||= @ledger.readings.group_by(&:round).sort.map(&:last)
        end

        def all
          @all ||= expected_readings
            .group_by { |reading, _| [reading.threads, reading.again] }
            .map { |(threads, again), pairs| ConcurrencyLine.new(threads:, again:, pairs:) }
            .sort_by(&:threads)
        end

        def expected_readings
          rounds.flat_map do |round|
            recording = round.first
            round.map { |reading| [reading, recording.expect(reading.threads)] }
          end
        end
      end
    end
  end
end
