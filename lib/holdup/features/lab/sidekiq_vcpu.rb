# frozen_string_literal: true

module Holdup
  module Lab
    # Experiments with real servers, job runners and loads, measured by Holdup like any application.
    # "We doubled the vCPUs, CPU % halved, nothing got faster and autoscaling stopped firing": shows with a
    # real Sidekiq on this machine how compute-bound jobs behave in one process and in two.
    class SidekiqVcpu
      # One way to run the jobs.
      #
      # - `jobs`: number of jobs, all enqueued at once; `processes` that run them; `concurrency`: threads of
      #   each
      Attempt = Data.define(:name, :jobs, :processes, :concurrency) do
        # @return [Integer] jobs that run at the same time
        def at_once = [jobs, processes * concurrency].min

        # The theory: a process runs Ruby on one CPU at a time.
        def expected(vcpus)
          each = at_once / [[processes, at_once].min, vcpus].min.to_f
          TheoreticalTimes.new(each:, in_all: each * jobs.fdiv(at_once))
        end
      end

      # Multiples of the time of one job alone.
      TheoreticalTimes = Data.define(:each, :in_all)

      # The first three are the usual attempts; the fourth is the remedy.
      EXPERIMENTS = [
        Attempt.new(name: :alone, jobs: 1, processes: 1, concurrency: 1),
        Attempt.new(name: :threads, jobs: 2, processes: 1, concurrency: 2),
        Attempt.new(name: :serial, jobs: 2, processes: 1, concurrency: 1),
        Attempt.new(name: :processes, jobs: 2, processes: 2, concurrency: 1)
      ].freeze

      LATEST_S = 1 << 40

      # @param seconds [Numeric] approximate time of one job alone
      # @param repeats [Integer] runs of each experiment
      # @param redis_url [String, nil] nil: a private one
      # @param target [Float] of the autoscaling
      # @param progress [#call] receives the Attempt and the number of its run before each run
      def initialize(seconds:, repeats:, target:, env:, redis_url: nil, progress: ->(_experiment, _number) {})
        @seconds = seconds
        @repeats = repeats
        @target = target
        @redis_url = redis_url
        @env = env
        @progress = progress
      end

      # @raise [UnsupportedError] no Sidekiq, no Redis, or a Ruby that can't be measured
      # @raise [Holdup::Error] an experiment failed
      def call
        @program = Library.load
        Child::Signals.first_only do
          with_redis { |url| VcpuResult.new(outcomes(url, Work.rounds_for(@seconds)), target: @target) }
        end
      end

      private

      def with_redis(&)
        @redis_url ? yield(@redis_url) : Redis.run(path: @env.fetch("PATH", ""), &)
      end

      # Round by round, so that temporary load on the machine spoils one run of each instead of all runs of
      # one.
      def outcomes(url, rounds)
        runs = (1..@repeats).flat_map do |number|
          EXPERIMENTS.map { |experiment| [experiment, outcome(experiment, number, url, rounds)] }
        end
        runs.group_by(&:first).transform_values { |pairs| pairs.map(&:last) }
      end

      def outcome(experiment, number, url, rounds)
        @progress.call(experiment, number)
        Folders.open do |folders|
          run = Run.new(experiment, program: @program, redis: url, env: @env, **folders)
          store = run.call(rounds, @seconds)
          outcome = VcpuResult::ExperimentOutcome.new(windows(store))
          check(outcome, experiment)
          outcome
        end
      end

      def windows(path)
        store = Store.open(path, read_only: true)
        store.windows(0, LATEST_S, kinds: VcpuResult::ExperimentOutcome::KINDS).to_a
      ensure
        store&.close
      end

      def check(outcome, experiment)
        return if outcome.complete?(experiment.jobs)
        raise Error.new("not every job of the experiment #{experiment.name} was measured",
          "see `holdup doctor` for whether this Ruby can be")
      end

      # The user's Sidekiq: of the current bundle, else the newest installed one.
      module Library
        OLDEST = "7.0"

        module_function

        # Loads the Sidekiq client.
        # @return [String] the path of its program
        # @raise [UnsupportedError] Sidekiq is missing or too old
        def load
          program = Gem.bin_path("sidekiq", "sidekiq", ">= #{OLDEST}")
          require "sidekiq"
          check(::Sidekiq::VERSION)
          program
        rescue LoadError, Gem::Exception => error
          raise missing(error.message.lines.first.to_s.strip)
        end

        # Bundler activates the bundle's version, so the requested one is not guaranteed.
        def check(version)
          raise missing("the bundle has #{version}") if Gem::Version.new(version) < Gem::Version.new(OLDEST)
        end

        def missing(reason)
          UnsupportedError.new("Sidekiq #{OLDEST} or newer is not installed here (#{reason})",
            "run it where yours is (`bundle exec holdup lab ...` in your application), " \
            "or `gem install sidekiq`")
        end
        private_class_method :missing
      end
    end
  end
end
