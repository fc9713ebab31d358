# frozen_string_literal: true

module Holdup
  # Experiments with real servers, job runners and loads, measured by Holdup as any application would be.
  module Lab
    # "We doubled the vCPUs, CPU % halved, nothing got faster and autoscaling stopped firing": shows with a
    # real Sidekiq on this machine what happens to jobs that compute, in one process and in two.
    class SidekiqVcpu
      # The first three are what a team in trouble tried; the fourth is what it lacked.
      EXPERIMENTS = [
        Experiment.new(name: :alone, jobs: 1, processes: 1, concurrency: 1),
        Experiment.new(name: :threads, jobs: 2, processes: 1, concurrency: 2),
        Experiment.new(name: :serial, jobs: 2, processes: 1, concurrency: 1),
        Experiment.new(name: :processes, jobs: 2, processes: 2, concurrency: 1)
      ].freeze

      LATEST_S = 1 << 40

      # @param seconds [Numeric] that one job alone takes, about
      # @param repeats [Integer] runs of each experiment
      # @param redis_url [String, nil] nil: a private one
      # @param target [Float] of the autoscaling
      # @param env [Hash{String => String}] the environment
      # @param progress [#call] gets the Experiment and the number of its run before each
      def initialize(seconds:, repeats:, target:, env:, redis_url: nil, progress: ->(_experiment, _number) {})
        @seconds = seconds
        @repeats = repeats
        @target = target
        @redis_url = redis_url
        @env = env
        @progress = progress
      end

      # @return [VcpuResult]
      # @raise [UnsupportedError] no Sidekiq, no Redis, or a Ruby that can't be measured
      # @raise [Holdup::Error] what went wrong in an experiment
      def call
        @program = Library.load
        Signals.first_only do
          with_redis { |url| VcpuResult.new(outcomes(url, Work.rounds_for(@seconds)), target: @target) }
        end
      end

      private

      def with_redis(&)
        @redis_url ? yield(@redis_url) : Redis.run(path: @env.fetch("PATH", ""), &)
      end

      # Round by round, so that a machine that is busy for a while spoils one run of each and not all of one.
      def outcomes(url, rounds)
        runs = (1..@repeats).flat_map do |number|
          EXPERIMENTS.map { |experiment| [experiment, outcome(experiment, number, url, rounds)] }
        end
        runs.group_by(&:first).transform_values { |pairs| pairs.map(&:last) }
      end

      def outcome(experiment, number, url, rounds)
        @progress.call(experiment, number)
        Folders.open do |folders|
          store = Run.new(experiment, program: @program, redis: url, env: @env, **folders).call(rounds,
            @seconds)
          ExperimentOutcome.new(windows(store)).tap { |outcome| check(outcome, experiment) }
        end
      end

      def windows(path)
        store = Store.open(path, read_only: true)
        store.windows(0, LATEST_S, kinds: ExperimentOutcome::KINDS).to_a
      ensure
        store&.close
      end

      def check(outcome, experiment)
        return if outcome.complete?(experiment.jobs)
        raise Error.new("not every job of the experiment #{experiment.name} was measured",
          "see `holdup doctor` for whether this Ruby can be")
      end
    end
  end
end
