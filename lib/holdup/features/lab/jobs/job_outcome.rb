# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # Holdup's measurements of one run. Pure: windows and samples in, figures out.
      class JobOutcome
        attr_reader :threads

        # @return [Float] of the measurement
        attr_reader :seconds

        # @return [Array<Window>] of that time
        attr_reader :windows

        # @return [Array<UnitSample>] every job
        attr_reader :unit_samples

        # @param seconds [Float] of the measurement
        # @param windows [Array<Window>] of that time
        # @param unit_samples [Array<UnitSample>] likewise
        def initialize(threads:, seconds:, windows:, unit_samples:)
          @threads = threads
          @seconds = seconds
          @windows = windows
          @unit_samples = unit_samples.select { |unit_sample| unit_sample.series.kind == :job }
          @jobs, rest = windows.partition { |window| window.series.kind == :job }
          @accounts = rest.select { |window| window.series.kind == :account }
        end

        # @return [Integer] jobs that ended
        def count = @jobs.sum(&:count)

        # @return [Integer] jobs that failed with an exception
        def errors = @jobs.sum(&:errors)

        # @return [Float] jobs per second
        def throughput = count / @seconds

        # @param key [Symbol] of a window's histograms or sums
        # @return [Float] ns of a job, on average
        def mean(key)
          total(@jobs, key).fdiv([count, 1].max)
        end

        # @return [Histogram] of the elapsed times
        def walls
          Histogram.sum(@jobs.map { |window| window.histograms.fetch(:wall) })
        end

        # @return [Float] share of one CPU that all threads of the process used while they held the GVL
        def gvl_share
          (total(@jobs, :running) + total(@accounts, :running)) / (@seconds * 1e9)
        end

        # What its threads did between two jobs. A wait for a lock there (such as the log's) counts as
        # congestion, as within a job.
        def between
          held_ns = outside_jobs(:running)
          stalled_ns = outside_jobs(:stalled)
          rest_ns = @threads * @seconds * 1e9 / [count, 1].max - mean(:wall)
          idle_ns = [rest_ns - held_ns - stalled_ns - outside_jobs(:lock_ns), 0.0].max
          Advise::Sizing::Scenario::DispatchCost.new(held_ns:, idle_ns:,
            acquisitions: outside_jobs(:acquisitions))
        end

        # @return [Advise::Sizing::Handoff::HandoffTimes] of a job, with what is between two
        def waits
          Advise::Sizing::Handoff::HandoffTimes.new(handoff_ns: recording.handoff_ns,
            wait_ns: mean(:stalled) + outside_jobs(:stalled))
        end

        # @return [Float] share of its threads' time in waits for locks, in jobs and between them
        def lock_share
          (mean(:lock_ns) + outside_jobs(:lock_ns)) * throughput / @threads / 1e9
        end

        # @return [Advise::Sizing::Recording::SettingFigures] as models take them
        def recording
          @recording ||= Advise::Sizing::Recording::SettingFigures.new(windows: @windows, unit_samples:,
            kind: :job,
            warm_up_s: 0)
        end

        private

        # What the process spent outside jobs (ns or a count), for each job.
        def outside_jobs(key)
          total(@accounts, key).fdiv([count, 1].max)
        end

        def total(windows, key)
          windows.sum { |window| window.sums.fetch(key) { window.histograms.fetch(key).sum } }
        end

        # Predicts the throughput of other concurrencies from one run, in three ways.
        class JobForecast
          # @param outcome [JobOutcome] the recording
          def initialize(outcome)
            @outcome = outcome
          end

          # @return [Float] jobs per second, by replaying its jobs
          def replay(threads) = backlog.throughput(threads:)

          # @return [Float] jobs per second, by the closed model, from means only
          def closed(threads) = model.throughput(threads)

          # @return [Float] jobs per second, by Amdahl's law, which is only a lower bound
          def amdahl(threads) = model.lower_bound(threads)

          def growth = recording.growth.overall

          private

          def recording = @outcome.recording

          def demand = @demand ||= recording.demand

          def backlog
            @backlog ||= backlog_with(handoff_ns)
          end

          def handoff_ns
            Advise::Sizing::Handoff.fit(@outcome.waits) do |ns|
              backlog_with(ns).waits(threads: @outcome.threads)
            end
          end

          def backlog_with(handoff_ns)
            Advise::Sizing::PoolThroughput::BacklogReplay.new(@outcome.unit_samples,
              vcpus: recording.vcpus || 1,
              between: @outcome.between, cost: demand.cost, handoff_ns:)
          end

          def model
            @model ||= Advise::Sizing::ClosedModel.new(demand.with(between: @outcome.between).in_all)
          end
        end
      end

      # The results of one run as plain figures for a file.
      #
      # - `means`: of a job, see MEANS, in ns except acquisitions; `setting`: the facts that Sidekiq reported
      # - `expected`: Array of PredictedThroughput, only of the baseline's first run
      # - `throughput`: jobs per second
      JobOutcome::JobsMeasurement = Data.define(:round, :threads, :again, :setting, :count, :errors,
        :throughput, :means, :p95_ns, :gvl_share, :lock_share, :expected) do
        # @param concurrency [Array<Integer>] that it predicts; empty unless the run is the recording
        def self.of(outcome, step, concurrency: [])
          forecast = JobOutcome::JobForecast.new(outcome)
          new(
            round: step.round,
            threads: step.threads,
            again: step.again,
            setting: outcome.recording.setting.attributes,
            count: outcome.count,
            errors: outcome.errors,
            throughput: outcome.throughput,
            means: self::MEANS.to_h { |key| [key, outcome.mean(key)] },
            p95_ns: outcome.walls.quantile(0.95),
            gvl_share: outcome.gvl_share,
            lock_share: outcome.lock_share,
            expected: concurrency.map { |threads| self::PredictedThroughput.of(forecast, threads) }
          )
        end

        # @param hash [Hash{Symbol => Object}] from to_h
        def self.from(hash)
          new(**hash, setting: hash.fetch(:setting).transform_keys(&:to_s),
            expected: hash.fetch(:expected).map { |expected| self::PredictedThroughput.new(**expected) })
        end

        # @param key [Symbol] see MEANS
        def mean(key) = means.fetch(key)

        def expect(threads)
          expected.find { |prediction| prediction.threads == threads }
        end

        def to_h
          super.merge(expected: expected.map(&:to_h))
        end
      end

      JobOutcome::JobsMeasurement::MEANS = %i[wall running stalled idle cpu_ns lock_ns acquisitions].freeze

      # Jobs per second that the baseline's run predicts for a number of threads, by three methods.
      JobOutcome::JobsMeasurement::PredictedThroughput = Data.define(:threads, :replay, :closed, :amdahl) do
        def self.of(forecast, threads)
          new(threads:, replay: forecast.replay(threads), closed: forecast.closed(threads),
            amdahl: forecast.amdahl(threads))
        end
      end
    end
  end
end
