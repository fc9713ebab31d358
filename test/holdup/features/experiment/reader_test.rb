# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Experiment::ReaderTest < Minitest::Test
  ARMS = SimulatedArms.new(minutes: 40)

  def arms(windows = nil, **options)
    store = Holdup::Store.open("memory:")
    windows ? store.commit(windows, {}) : ARMS.fill(store)
    filter = Holdup::Analysis::UnitFilter.new(kind: :request)
    Holdup::Experiment::Reader.new(store, from_s: ARMS.from_s - 600, to_s: ARMS.to_s, filter:, **options)
  end

  def test_both_arms_with_the_halves_of_their_processes
    found = arms
    experiment = found.experiment(found.pick("arm", %w[control candidate]), planned_s: 40 * 60)
    assert_equal ["arm control", "arm candidate"], experiment.sides.map(&:label)
    assert_equal 40, experiment.blocks.size
    assert_equal %i[equal equal], experiment.equality.map(&:key)
    assert_equal 4, experiment.schedule.looks
  end

  def test_an_experiment_without_a_plan_is_over_and_looked_at_once
    found = arms
    experiment = found.experiment(found.pick("arm", nil))
    assert_equal [40], experiment.looks
    assert_predicate experiment, :over?
  end

  def test_the_time_needed_comes_from_halves_of_the_processes
    outlook = arms.outlook
    assert_equal :processes, outlook.basis
    assert_equal %i[wall_p95 wait_mean cpu_unit], outlook.effects.map { |effect| effect.estimate.metric.name }
    assert_in_delta 4.0, outlook.rate, 0.1
    assert_operator outlook.effects.last.seconds(0.2), :<, outlook.effects.last.seconds(0.05)
  end

  def test_the_time_needed_comes_from_turns_of_a_single_process
    outlook = arms(ARMS.windows(:control)).outlook
    assert_equal [:turns, 120], [outlook.basis, outlook.block_s]
    assert(outlook.effects.all?(&:known?))
  end

  # As the autopilot does where a process serves little.
  def test_turns_below_a_minute_are_said_in_seconds
    turns = Holdup::Switchback.new(from_s: ARMS.from_s, turn_s: 30, settle_s: 15, equal_cycles: 6, cycles: 20)
    plan = Holdup::ExperimentPlan.new(id: "x7k2", lever: "threads", values: [5, 3], turns:, by: "a",
      why: "")
    error = assert_raises(Holdup::Error) { arms.in_turns(plan) }
    assert_match(/then each takes 30 s in turns/, error.message)
  end

  def test_no_arm
    unnamed = ARMS.windows(:control).map do |window|
      window.with(setting: Holdup::Setting.new(attributes: {"ruby" => "3.4.5"}))
    end
    error = assert_raises(Holdup::Error) { arms(unnamed).pick("arm", nil) }
    assert_match(/set HOLDUP_ARM/, error.message)
    assert_nil arms([]).outlook
  end
end
