# frozen_string_literal: true

module Holdup
  module Lab
    # A real Sidekiq with one concurrency after the other, always with work, and what the run of one of them
    # lets expect of the others: measured and predicted side by side. That one runs twice in each round, to
    # see what chance alone makes of it.
    class Jobs
      # @param ledger [JobLog] new, or one to go on with
      # @param env [Hash{String => String}] the environment
      # @param redis_url [String, nil] nil: a private one
      # @param store [#commit, nil] gets what was measured as well
      # @param progress [#call] gets the number of the run, how many there are, a Symbol and facts
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

      # Ctrl-C ends it with what was measured by then, and so does what goes wrong in a run.
      # @return [JobsResult]
      # @raise [UnsupportedError] no Redis, or a Ruby that can't be measured
      # @raise [Holdup::Error] what went wrong before anything was measured
      def call
        @ledger.write
        Signals.first_only { with_redis { |url| @ledger.left.each { |step| measure(step, url) } } }
        JobsResult.new(@ledger)
      rescue SignalException => signal
        raise if @ledger.readings.empty?
        JobsResult.new(@ledger, signal: signal.signo)
      rescue Holdup::Error => error
        raise if @ledger.readings.empty?
        JobsResult.new(@ledger, failure: error)
      end

      private

      def measure(step, url)
        @number += 1
        outcome = Folders.open do |folders|
          @run.new(step.threads, program: @plan.program, work: Work.new(@plan.kinds), redis: url, env: @env, keep: method(:keep), progress: ->(doing) { tell(doing, step) }, **folders)
            .call(seconds: @plan.seconds, warm_up_s: @plan.warm_up_s)
        end
        check(outcome)
        @ledger.add(JobsMeasurement.of(outcome, step, concurrency: @plan.predicted_from(step)))
      end

      def tell(doing, step)
        facts = {warm_up: {seconds: @plan.warm_up_s}, count: {seconds: @plan.seconds}}.fetch(doing, {})
        @progress.call(@number, @plan.steps.size, doing, arm: step, **facts)
      end

      def keep(intake)
        @store&.commit(intake.windows, {}, processes: intake.samples,
          profiles: SampleBlock.of(intake.profiles))
      end

      def check(outcome)
        return if outcome.profiles.any?
        raise Error.new("no job of the run with #{outcome.threads} threads was measured",
          "see `holdup doctor` for whether this Ruby can be, and give it more --seconds")
      end

      def with_redis(&)
        @redis_url ? yield(@redis_url) : Redis.run(path: @env.fetch("PATH", ""), &)
      end
    end
  end
end
