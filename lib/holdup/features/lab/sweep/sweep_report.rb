# frozen_string_literal: true

module Holdup
  module Lab
    class Sweep
    end

    # The results of a sweep. Pure: readings in, figures out.
    class Sweep::SweepReport < LedgerFile::ExperimentResult
      # One setting at one rate: the medians of all rounds, measured and predicted.
      SettingLine = Data.define(:arm, :readings, :predictions) do
        # @return [Float] answers per second
        def throughput = median(readings, &:throughput)

        def wait_ns = median(readings, &:wait_ns)

        # @return [Float] ns, mean, with queueing
        def response_ns = median(readings, &:response_ns)

        # @return [Float] ns, with queueing
        def percentile(share)
          median(readings) { |reading| reading.percentile(share) }
        end

        # @param seconds [Numeric] of each reading
        # @return [Boolean] whether the server kept up with the rate in most rounds
        def kept_up?(seconds)
          readings.count { |reading| reading.kept_up?(seconds) } * 2 > readings.size
        end

        # @return [Float, nil] ns, measured by the client
        def client_p95_ns = median(readings, &:client_p95_ns)

        # @return [Float, nil] ns of CPU for a request
        def cpu_ns = median(readings, &:cpu_ns)

        def memory_bytes = median(readings, &:memory_bytes)

        # @return [Boolean] whether there is a prediction
        def predicted? = predictions.any?

        # @return [Float, nil] answers per second
        def predicted_throughput = median(predictions, &:throughput)

        def predicted_wait_ns = median(predictions, &:wait_ns)

        # @return [Float, nil] ns
        def predicted_percentile(share)
          median(predictions) { |prediction| prediction.percentile(share) }
        end

        # Signed shares; the wait's error is relative to the response time: 1 ms instead of 2 ms of 300 ms
        # does not matter.
        # @return [Hash{Symbol => Float}] errors of throughput, wait and percentile; empty without a
        #   prediction
        def errors(share)
          return {} unless predicted?
          {
            throughput: predicted_throughput / throughput - 1,
            wait: (predicted_wait_ns - wait_ns) / response_ns,
            percentile: predicted_percentile(share) / percentile(share) - 1
          }
        end

        def to_h
          {
            arm: arm.to_h,
            rounds: readings.size,
            throughput:,
            wait_ns:,
            response_ns:,
            p95_ns: percentile(0.95),
            client_p95_ns:,
            cpu_ns:,
            memory_bytes:,
            predicted:,
            errors: errors(0.95).transform_values { |error| error.round(4) }
          }
        end

        private

        def predicted
          return unless predicted?
          {throughput: predicted_throughput, wait_ns: predicted_wait_ns, p95_ns: predicted_percentile(0.95)}
        end

        def median(readings)
          values = readings.filter_map { |reading| yield reading }
          Spread.of(values).median.to_f if values.any?
        end
      end

      # A smaller difference is noise, even if two runs of the same setting agree.
      LEAST_NOISE = 0.05

      # @return [Array<Numeric>] that have measurements
      def rates = plan.rates & @ledger.readings.map(&:rate)

      # @return [Array<SettingLine>] in the order of the plan, of the settings measured at this rate
      def lines(rate)
        by_arm = @ledger.readings.select { |reading| reading.rate == rate }.group_by(&:arm)
        plan.arms.select { |arm| by_arm.key?(arm) }.map do |arm|
          SettingLine.new(arm:, readings: by_arm[arm], predictions: predictions(arm, rate))
        end
      end

      # The difference of two runs of the baseline: smaller differences are chance.
      # @return [Float, nil] share of the percentile of the SLO; nil before the second run of the baseline
      def noise(rate)
        first, second = [plan.baseline, plan.baseline.with(again: true)].map { |arm| at(arm, rate)&.readings }
        return unless first && second
        differences = first.zip(second).reject { |pair| pair.include?(nil) }.map do |one, other|
          (other.percentile(share) / one.percentile(share).to_f - 1).abs
        end
        [LEAST_NOISE, *differences].max
      end

      # @return [Numeric, nil] the highest rate that it sustained; in a closed loop the highest throughput
      def capacity(arm)
        lines = rates.to_h { |rate| [rate, at(arm, rate)] }.compact
        return lines.values.filter_map(&:throughput).max if plan.closed?
        sustained = lines.select do |_, line|
          plan.promise.met?(line.percentile(share)) && line.kept_up?(plan.seconds)
        end
        sustained.keys.max
      end

      def at(arm, rate)
        lines(rate).find { |line| line.arm == arm }
      end

      # @return [Numeric, nil] the highest rate at which the baseline was measured
      def rate
        rates.select { |rate| at(plan.baseline, rate) }.max
      end

      # @return [SettingLine, nil] better than the baseline by more than chance, with the fewest threads
      def best
        base = rate && at(plan.baseline, rate)
        return unless base && noise(rate)
        others = lines(rate).reject { |line| line.arm.setting == plan.baseline }
        better = others.select { |line| gain(line, base) > noise(rate) }
        top = better.map { |line| gain(line, base) }.max
        better.select { |line| gain(line, base) > top - noise(rate) }.min_by { |line| size(line.arm) }
      end

      # @return [Float] improvement of the promised percentile over the baseline at the same rate
      def gain(line, base = at(plan.baseline, rate))
        1 - line.percentile(share) / base.percentile(share).to_f
      end

      # @return [Float, nil] share of its own time in which a baseline request does not need the GVL, at the
      #   lowest rate
      def idle_share
        reading = rates.min && at(plan.baseline, rates.min)&.readings&.first
        return unless reading
        own_ns = reading.idle_ns + reading.running_ns
        reading.idle_ns.fdiv(own_ns) if own_ns.positive?
      end

      # @return [Boolean] whether it replayed a recording of the baseline
      def predicted? = @ledger.predictions.any?

      # @return [Float] the promised percentile
      def share = plan.promise.percentile

      # @return [Array<SettingMeasurement>] of servers that were not warm yet
      def unsteady = @ledger.readings.reject(&:steady)

      # @return [Array<SettingLine>] of settings that did not sustain even the lowest rate
      def overrun
        return [] if plan.closed? || rates.empty?
        lines(rates.min).reject { |line| line.kept_up?(plan.seconds) }
      end

      # @return [Array<SettingMeasurement>] with requests that failed
      def failed
        @ledger.readings.select { |reading| reading.errors.positive? }
      end

      # @return [Hash] for programs: the file and what follows from it
      def to_h
        verdict = {rate:, noise: rate && noise(rate)&.round(4), best: best&.arm&.to_h,
                   gain: best && gain(best).round(4)}
        results = rates.flat_map { |rate| lines(rate).map { |line| line.to_h.merge(rate:) } }
        {**@ledger.to_h, left:, verdict:, lines: results}
      end

      private

      def predictions(arm, rate)
        @ledger.predictions.select { |prediction| prediction.rate == rate && prediction.arm == arm.setting }
      end

      # @return [Array<Integer>] all threads, then threads of each process
      def size(arm)
        [arm.processes.to_i * arm.threads.to_i, arm.threads.to_i]
      end
    end
  end
end
