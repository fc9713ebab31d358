# frozen_string_literal: true

require "test_helper"
require "support/swept"

class Holdup::Lab::SweepTest < Minitest::Test
  include Swept
  include TemporaryFolder

  # Rates that a server's threads can't serve at all.
  KEPT_UP = 1_000_000

  Outcome = Struct.new(:arm, :rate, :response_ns, :windows, :samples, :unit_samples, :reading) do
    def percentile(_share) = response_ns * 2

    def kept_up? = rate < KEPT_UP

    def blocks = [:block]
  end

  # A server whose response is 1 us, and at rates beyond `limit` so many times that.
  Trial = Struct.new(:limit, :times, :rates, :progress, :fails) do
    def new(_command, progress:, **)
      tap { self.progress = progress }
    end

    def call(arm, rate:)
      progress.call(:boot, arm:)
      raise fails if fails && arm.threads == 3
      yield Session.new(self, arm)
    end
  end

  Session = Struct.new(:trial, :arm) do
    def measure(rate:, seconds:, seed:)
      trial.rates << [arm.name, rate, seed]
      Outcome.new(arm, rate, (rate > trial.limit) ? 1000 * trial.times : 1000, [:window], [], [])
    end
  end

  def path = File.join(folder, "sweep.json")

  def sweep(plan: nil, limit: 1000, times: 10, fails: nil, ledger: ledger(path:, plan:), **options)
    @ledger = ledger
    @steps = []
    @trial = Trial.new(limit, times, [], nil, fails)
    sweep = Swept::Sweep.new(@ledger, env: {}, trial: @trial, progress: ->(*step, **) { @steps << step },
**options)
    Swept::Sweep::Predictor.stub(:new, ->(*, **) { ->(arm) { prediction(arm) } }) do
      Swept::Sweep::SettingMeasurement.stub(
        :of,
        ->(outcome, round:) { reading(outcome.arm, rate: outcome.rate, round:) }
      ) { sweep.call }
    end
  end

  def test_tries_each_setting_in_each_round_and_keeps_it
    result = sweep(plan: plan(rounds: 2))
    assert_equal 6, @trial.rates.size
    assert_equal [1, 2], @trial.rates.map(&:last).uniq
    assert_equal (1..6).to_a, @steps.map(&:first)
    kept = Swept::Sweep::ProgressFile.open(@ledger.path)
    assert_equal [0, 6, [arm, arm(1, 3)] * 2], [result.left, kept.readings.size, kept.predictions.map(&:arm)]
  end

  def test_climbs_until_it_is_too_much
    sweep(plan: plan(rates: [10, 20, 40, 80]), limit: 20)
    assert_equal [10, 20, 40], @trial.rates.select { |name, *| name == "1 x 5" }.map { |_, rate, _| rate }
  end

  # Less than half as slow again, and the percentile (twice the mean here) is beyond what was promised.
  def test_climbs_until_the_promise_is_broken
    sweep(plan: plan(rates: [10, 20, 40], slo: "p95=2.5us"), limit: 10, times: 1.4)
    assert_equal [10, 20], @trial.rates.select { |name, *| name == "1 x 5" }.map { |_, rate, _| rate }
    sweep(plan: plan(rates: [10, 20, 40], slo: "p95=3us"), limit: 10, times: 1.4)
    assert_equal [10, 20, 40], @trial.rates.select { |name, *| name == "1 x 5" }.map { |_, rate, _| rate }
  end

  # Already the first is slow because of its queue: nothing tells that the others are slower.
  def test_does_not_climb_where_the_server_can_t_keep_up
    sweep(plan: plan(rates: [1_000_000, 2_000_000]), limit: 0)
    assert_equal [1_000_000] * 3, @trial.rates.map { |_, rate, _| rate }
  end

  def test_does_not_predict_a_closed_loop
    assert_empty sweep(plan: plan(tool: "wrk"), load: :wrk).to_h[:predictions]
  end

  def test_ctrl_c_keeps_what_was_measured
    result = sweep(plan: plan, fails: Interrupt.new)
    assert_equal [2, 1, 2],
      [result.signal, result.left, Swept::Sweep::ProgressFile.open(@ledger.path).readings.size]
  end

  def test_reports_a_failed_step_and_keeps_the_others
    result = sweep(plan: plan, fails: Holdup::Error.new("no server"))
    assert_equal ["no server", 1], [result.failure.message, result.left]
    assert_equal 2, Swept::Sweep::ProgressFile.open(@ledger.path).readings.size
  end

  def test_raises_an_error_before_the_first_measurement
    assert_raises(Holdup::Error) {
      sweep(
        plan: plan(arms: [arm(1, 3), arm]),
        fails: Holdup::Error.new("no server")
      )
    }
  end

  # It measures only what the file lacks, and continues the rounds where they ended.
  def test_goes_on_with_what_was_left
    sweep(plan: plan(rounds: 2), fails: Interrupt.new)
    before = Swept::Sweep::ProgressFile.open(path)
    result = sweep(ledger: before)
    assert_equal [["1 x 3", 40, 1], ["1 x 3", 40, 2], ["1 x 5 (again)", 40, 2], ["1 x 5", 40, 2]],
      @trial.rates
    assert_equal [3, 4, 5, 6], @steps.map(&:first)
    assert_equal [0, 6], [result.left, result.to_h[:readings].size]
    assert_equal result.to_h[:readings], Swept::Sweep::ProgressFile.open(path).to_h[:readings]
    sweep(ledger: Swept::Sweep::ProgressFile.open(path))
    assert_empty @trial.rates, "nothing is left"
  end

  def test_a_store_gets_the_windows_as_well
    kept = []
    store = Object.new
    store.define_singleton_method(:commit) { |windows, _checkpoints, processes:, unit_samples:|
      kept << [windows, processes, unit_samples]
    }
    sweep(plan: plan, store:)
    assert_equal [[[:window], [], [:block]]] * 3, kept
  end
end
