# frozen_string_literal: true

module Holdup
  module Lab
    # The experiment that experts do by hand: the user's own server with one setting after the other, the same
    # requests at the same rates, in rounds of changing order, the first setting twice to see what chance
    # alone makes of it. What the first setting's recording lets expect of the others stands beside what they
    # did.
    class Sweep
      # A rate is too much where the mean response is so many times that of the lowest one.
      OVERLOAD = 1.5

      # @param plan [SweepPlan]
      # @param env [Hash{String => String}] the environment
      # @return [OpenLoop, LoadTool]
      # @raise [UnsupportedError] the tool is not on this machine
      def self.load(plan, env)
        plan.tool ? LoadTools::ALL.fetch(plan.tool).find(env.fetch("PATH", "")) : OpenLoop.new
      end

      # @param ledger [ProgressFile] new, or one to go on with
      # @param env [Hash{String => String}] the environment
      # @param load [#call] see Trial
      # @param store [#commit, nil] gets what was measured as well
      # @param progress [#call] gets the number of the step, how many there are, a Symbol and facts
      # @param trial [#new] Trial
      def initialize(ledger, env:, load: self.class.load(ledger.plan, env), store: nil, trial: Trial,
        progress: ->(_number, _of, _step, **_facts) {})
        @ledger = ledger
        @plan = ledger.plan
        @store = store
        @progress = progress
        @number = @plan.steps.size - ledger.left.size
        @trial = trial.new(@plan.command, routes: @plan.routes, env:, root: @plan.root, port: @plan.port,
          load:, warm_up_s: @plan.warm_up_s, progress: method(:tell))
      end

      # Ctrl-C ends it with what was measured by then, and so does what goes wrong in a step.
      # @return [SweepReport]
      # @raise [Holdup::Error] what went wrong before anything was measured
      def call
        @ledger.write
        Signals.first_only { @ledger.left.each { |round, arm| step(round, arm) } }
        SweepReport.new(@ledger)
      rescue SignalException => signal
        raise if @ledger.readings.empty?
        SweepReport.new(@ledger, signal: signal.signo)
      rescue Holdup::Error => error
        raise if @ledger.readings.empty?
        SweepReport.new(@ledger, failure: error)
      end

      private

      def step(round, arm)
        @number += 1
        outcomes = @trial.call(arm, rate: @plan.rates.first) { |session| climb(session, round) }
        @ledger.add(outcomes.map { |outcome| SettingMeasurement.of(outcome, round:) },
          (arm == @plan.baseline) ? predictions(outcomes, round) : [])
      end

      # From the lowest rate up, until it is too much.
      def climb(session, round)
        @plan.rates.each_with_object([]) do |rate, outcomes|
          outcomes << session.measure(rate:, seconds: @plan.seconds,
            seed: round + 1).tap { |outcome| keep(outcome) }
          break outcomes if overloaded?(outcomes)
        end
      end

      def overloaded?(outcomes)
        first = outcomes.first
        last = outcomes.last
        return true unless @plan.closed? || last.kept_up?
        last.response_ns > OVERLOAD * first.response_ns || !@plan.promise.met?(last.percentile(@plan.promise.percentile))
      end

      # Each rate is predicted from the recording at the same rate: what waits elsewhere is then as it was.
      # Requests of other programs don't tell when they were sent, so there are no arrivals that another
      # setting could get.
      def predictions(outcomes, round)
        return [] if @plan.tool
        outcomes.flat_map do |outcome|
          predictor = Predictor.new(outcome, round:)
          @plan.arms.reject(&:again).filter_map { |arm| predictor.call(arm) }
        end
      end

      def keep(outcome)
        @store&.commit(outcome.windows, {}, processes: outcome.samples, profiles: outcome.blocks)
      end

      def tell(step, **facts)
        @progress.call(@number, @plan.steps.size, step, **facts)
      end
    end
  end
end
