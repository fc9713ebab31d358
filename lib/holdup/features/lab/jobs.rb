# frozen_string_literal: true

require "rbconfig"

module Holdup
  module Lab
    # Measures a real Sidekiq at each concurrency, always with work, and predicts the other concurrencies from
    # the baseline's run. The baseline runs twice in each round, which shows how much chance alone changes.
    class Jobs
      # @param ledger [JobLog] new, or to resume
      # @param redis_url [String, nil] nil: a private one
      # @param store [#commit, nil] receives the measurements as well
      # @param progress [#call] receives the number of the run, their count, a Symbol and facts
      # @param run [#new] Run
      def initialize(ledger, env:, redis_url: nil, store: nil,
        progress: ->(_number, _of, _step, **_facts) {}, run: Run)
        @ledger = ledger
        @plan = ledger.plan
        @env = env
        @redis_url = redis_url
        @store = store
        @progress = progress
        @run = run
        @number = @plan.steps.size - ledger.left.size
      end

      # @return [JobsResult]
      # @raise [UnsupportedError] no Redis, or a Ruby that can't be measured
      # @raise [Holdup::Error] see ExperimentResult.of
      def call
        JobsResult.of(@ledger) do
          with_redis { |url| @ledger.left.each { |step| measure(step, url) } }
        end
      end

      private

      def measure(step, url)
        @number += 1
        outcome = Folders.open { |folders| run(step, url, folders) }
        check(outcome)
        @ledger.add(JobOutcome::JobsMeasurement.of(outcome, step, concurrency: @plan.predicted_from(step)))
      end

      def run(step, url, folders)
        run = @run.new(
          step.threads,
          program: @plan.program,
          work: JobSequence.new(@plan.kinds),
          redis: url,
          env: @env,
          keep: method(:keep),
          progress: ->(doing) { report(doing, step) },
          **folders
        )
        run.call(seconds: @plan.seconds, warm_up_s: @plan.warm_up_s)
      end

      def report(doing, step)
        facts = {warm_up: {seconds: @plan.warm_up_s}, count: {seconds: @plan.seconds}}.fetch(doing, {})
        @progress.call(@number, @plan.steps.size, doing, arm: step, **facts)
      end

      def keep(intake)
        @store&.commit(intake.windows, {}, processes: intake.samples,
          unit_samples: SampleBlock.of(intake.unit_samples))
      end

      def check(outcome)
        return if outcome.unit_samples.any?
        raise Error.new("no job of the run with #{outcome.threads} threads was measured",
          "see `holdup doctor` for whether this Ruby can be, and give it more --seconds")
      end

      def with_redis(&)
        @redis_url ? yield(@redis_url) : Redis.run(path: @env.fetch("PATH", ""), &)
      end

      # One kind of job in a mix. `arguments`: of each push; `weight`: number of pushes in a cycle
      Kind = Data.define(:name, :weight, :arguments) do
        def initialize(name:, weight: 1, arguments: [])
          super
        end
      end

      # One run: a concurrency in a round; `again`: the baseline's second run in that round.
      Step = Data.define(:round, :threads, :again) do
        # @return [String] "-c 5 (again)", in Sidekiq's own words
        def name
          "-c #{threads}#{" (again)" if again}"
        end
      end

      # How to start the experiment's Sidekiq. `command`: without -c and -q; `folder`: working directory, nil
      # for a temporary one; `env`: added to the current environment
      Program = Data.define(:command, :folder, :env) do
        def initialize(command:, folder: nil, env: {})
          super
        end

        # @return [Program] with the lab's own jobs
        # @raise [UnsupportedError] Sidekiq is not installed
        def self.own(env: {}, jobs: File.expand_path("jobs/mix.rb", __dir__))
          new(command: [RbConfig.ruby, SidekiqVcpu::Library.load, "-r", jobs], env:)
        end
      end

      # An endless sequence of jobs: each cycle has all kinds by their weights in a new order. Random draws
      # would give each setting another mix. The same seed gives the same jobs.
      class JobSequence
        # The jobs of jobs/mix.rb. `arguments`: steps, rounds of computing and ms of waiting in each step
        OWN = [
          Kind.new(name: "LabMail", weight: 10, arguments: [4, 4, 5]),
          Kind.new(name: "LabSync", weight: 7, arguments: [6, 10, 2]),
          Kind.new(name: "LabReport", weight: 3, arguments: [2, 80, 6])
        ].freeze

        def initialize(kinds = OWN, seed: 1)
          @random = Random.new(seed)
          @cycle = kinds.flat_map { |kind| [kind] * kind.weight }
          @left = []
        end

        def next
          @left = @cycle.shuffle(random: @random) if @left.empty?
          @left.pop
        end
      end

      # What to try, complete enough to resume it later.
      #
      # - `command`, `root`: the user's Sidekiq without -c and -q, and its working directory; nil: the lab's
      #   own jobs; `kinds`: Array of Kind
      # - `concurrency`: Array of threads, `baseline`: the one to predict from; `again`: whether it runs twice
      #   in each round
      # - `seconds` of each run, after a warm-up of `warm_up_s`; `rounds`
      JobsPlan = Data.define(:command, :root, :kinds, :concurrency, :baseline, :again, :seconds, :warm_up_s,
        :rounds) do
        # @param hash [Hash{Symbol => Object}] from to_h
        def self.from(hash)
          new(**hash.slice(*members), kinds: hash.fetch(:kinds).map { |kind| Kind.new(**kind) })
        end

        def initialize(concurrency:, baseline:, command: [], root: nil, kinds: JobSequence::OWN,
          again: true, **rest)
          super(concurrency: concurrency | [baseline], baseline:, command:, root:, kinds:, again:, **rest)
        end

        # Round by round, so that other load on the machine spoils one run of each; each round reverses the
        # order, with the baseline first.
        def steps
          (0...rounds).flat_map do |round|
            order(round).map { |threads, again| Step.new(round:, threads:, again:) }
          end
        end

        # @return [Array<Integer>] concurrencies to predict from its run: all, itself included, from the
        #   recording's; none from others
        def predicted_from(step)
          (step.threads == baseline && !step.again) ? concurrency : []
        end

        # Both cases need Sidekiq's client here.
        # @raise [UnsupportedError] Sidekiq is not installed
        def program
          own = Program.own
          command.empty? ? own : own.with(command:, folder: root)
        end

        # @return [Float] estimated seconds of a step, before the first one
        def step_s = 3.0 + warm_up_s + seconds

        def to_h = super.merge(kinds: kinds.map(&:to_h))

        private

        def order(round)
          others = concurrency - [baseline]
          others.reverse! if round.odd?
          runs = [[baseline, false]]
          runs << [baseline, true] if again
          runs + others.map { |threads| [threads, false] }
        end
      end

      # The experiment's file: the plan, and all measurements and predictions so far. Written after each run.
      class JobLog
        FILE = LedgerFile.new("jobs")

        attr_reader :path, :plan, :readings

        # @raise [Holdup::Error] the file can't be read, or has another format
        def self.open(path)
          FILE.read(path) do |hash|
            new(path, JobsPlan.from(hash.fetch(:plan)),
              readings: hash.fetch(:readings).map { |reading| JobOutcome::JobsMeasurement.from(reading) })
          end
        end

        def initialize(path, plan, readings: [])
          @path = path
          @plan = plan
          @readings = readings
        end

        # @return [Array<Step>] that are still to be done
        def left
          plan.steps - readings.map { |reading| Step.new(**reading.to_h.slice(*Step.members)) }
        end

        def add(reading)
          @readings += [reading]
          write
        end

        # @raise [Holdup::Error]
        def write = FILE.write(path, parts)

        def to_h = FILE.whole(parts)

        private

        def parts
          {plan: plan.to_h, readings: readings.map(&:to_h)}
        end
      end
    end
  end
end
