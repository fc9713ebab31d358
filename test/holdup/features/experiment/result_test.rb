# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Experiment::ResultTest < Minitest::Test
  Experiment = Holdup::Experiment::Result
  MIXES = {control: [160, 80], candidate: [80, 160]}.freeze

  def experiment(minutes: 40, planned: minutes, **options)
    simulated = SimulatedArms.new(minutes:, **options)
    simulated.experiment(planned_s: planned * 60)
  end

  def test_a_faster_candidate_is_better_before_the_planned_end
    found = experiment(effect: 0.3)
    assert_equal :better, found.answer.key
    assert_includes found.answer.moved.map { |estimate| estimate.metric.name }, :cpu_unit
    assert_operator found.answer.look, :<, found.schedule.looks
    assert_equal found.schedule.sizes[found.answer.look - 1], found.comparison.sizes.first
    cpu = found.estimates.find { |estimate| estimate.metric.name == :cpu_unit }
    assert_in_delta(-0.3, cpu.relative, 0.05)
  end

  def test_a_slower_candidate_is_worse
    assert_equal :worse, experiment(effect: -0.3).answer.key
  end

  def test_equal_arms_show_no_difference_and_what_would_have_been_shown
    found = experiment
    assert_equal :none, found.answer.key
    found.estimates.each { |estimate| assert_includes 0.0..0.3, estimate.visible(found.level) }
  end

  def test_no_answer_before_the_planned_end_without_a_difference
    found = experiment(minutes: 25, planned: 40)
    assert_equal :running, found.answer.key
    assert_equal [10, 20], found.looks
  end

  def test_the_answer_of_a_look_stays_whatever_comes_later
    simulated = SimulatedArms.new(minutes: 40, effect: 0.3)
    schedule = Holdup::Experiment::LookSchedule.of(40 * 60)
    early, late = [25, 40].map do |minutes|
      Experiment.new(*simulated.sides, schedule:, to_s: simulated.from_s + minutes * 60).answer
    end
    assert_equal :better, early.key
    assert_equal early, late
  end

  def test_another_mix_of_endpoints_is_not_a_difference
    found = experiment(mix: MIXES)
    assert_equal :none, found.answer.key
    assert_operator found.comparison.mix_effect, :>, 0.3
  end

  def test_errors_make_a_candidate_worse
    found = experiment(errors: {candidate: 8})
    assert_equal :worse, found.answer.key
    assert_equal [:errors], found.answer.moved.map { |estimate| estimate.metric.name }
  end

  def test_only_what_occurs_is_judged
    assert_equal %i[wall_p95 wait_mean cpu_unit], experiment.outcomes.map(&:name)
    assert_includes experiment(errors: {control: 1, candidate: 1}).outcomes.map(&:name), :errors
  end

  # With fewer of them, requests wait for a thread and not for the GVL.
  def test_numbers_of_threads_are_judged_by_queued_and_elapsed_together
    threads = {control: 16, candidate: 4}
    slower = experiment(wall_effect: 0.3, threads:, queued_ms: {control: 1, candidate: 40})
    assert_equal %i[response_p95 wait_mean cpu_unit], slower.outcomes.map(&:name)
    assert_equal :worse, slower.answer.key
    faster = experiment(wall_effect: 0.3, threads:, queued_ms: {control: 1, candidate: 1})
    assert_equal :better, faster.answer.key
    response = faster.estimates.first
    assert_in_delta(-0.29, response.relative, 0.05)
  end

  # An old experiment's requests are no longer stored singly.
  def test_the_mean_is_judged_where_no_single_requests_are_left
    found = experiment(wall_effect: 0.3, threads: {control: 16, candidate: 4}, singles: 0,
      queued_ms: {control: 1, candidate: 1})
    assert_equal %i[response_mean wait_mean cpu_unit], found.outcomes.map(&:name)
    assert_equal :better, found.answer.key
  end

  def test_without_queue_times_fewer_threads_are_not_better
    found = experiment(wall_effect: 0.3, threads: {control: 16, candidate: 4})
    assert_equal [:cpu_unit], found.outcomes.map(&:name)
    assert_equal :none, found.answer.key
  end

  def test_invalid_with_a_deployment_inside
    found = experiment(effect: 0.3, revisions: {candidate: ->(minute) { (minute < 20) ? "abc" : "def" }})
    assert_equal %i[invalid deploy], [found.answer.key, found.answer.reason]
    assert_equal %w[abc def], found.revisions.sort
  end

  def test_a_revision_of_each_arm_is_what_a_canary_is
    revisions = {control: ->(_) { "abc" }, candidate: ->(_) { "def" }}
    assert_equal :better, experiment(effect: 0.3, revisions:).answer.key
  end

  def test_invalid_with_too_little_traffic
    few = experiment(minutes: 5)
    assert_equal %i[invalid too_little], [few.answer.key, few.answer.reason]
    rare = experiment(mix: {control: [2, 2], candidate: [2, 2]})
    assert_equal %i[invalid too_little], [rare.answer.key, rare.answer.reason]
  end

  def test_invalid_where_processes_of_one_arm_differ
    {0.0 => [:none, nil, :equal], 0.4 => [:invalid, :unequal, :unequal]}.each do |differing, expected|
      simulated = SimulatedArms.new(minutes: 40, differing:)
      equals = [Experiment::EqualArms.new(label: "arm control", sides: simulated.halves(:control))]
      found = simulated.experiment(equals:)
      assert_equal expected, [found.answer.key, found.answer.reason, found.equality.first.key]
    end
  end

  def test_invalid_where_the_planned_check_of_equals_could_not_judge
    simulated = SimulatedArms.new(minutes: 40, effect: 0.3)
    minute = ->(window) { (window.start_s - SimulatedArms::START_S) / 60 }
    {2 => %i[invalid unchecked], 20 => [:better, nil]}.each do |minutes, expected|
      early = SimulatedArms::ARMS.map do |arm|
        simulated.side(arm, SimulatedArms.new(minutes: 40).windows(arm).select { minute.call(_1) < minutes })
      end
      equals = [Experiment::EqualArms.new(label: "A/A", sides: early)]
      found = simulated.experiment(equals:, planned_equality: true)
      assert_equal expected, [found.answer.key, found.answer.reason]
    end
    assert_equal :unchecked, simulated.experiment(planned_equality: true).answer.reason
    assert_equal :better, simulated.experiment.answer.key
  end

  def test_invalid_where_the_difference_comes_with_the_time
    found = experiment(effect: 0.3, since: 15)
    assert_equal %i[invalid drift], [found.answer.key, found.answer.reason]
  end

  def test_says_nothing_without_a_block_of_both_arms
    simulated = SimulatedArms.new(minutes: 10)
    control = simulated.side(:control)
    later = simulated.windows(:candidate).map { |window| window.with(start_s: window.start_s + 6000) }
    found = Experiment.new(control, simulated.side(:candidate, later), to_s: simulated.to_s,
      schedule: Holdup::Experiment::LookSchedule.of(600), over: true)
    assert_equal %i[invalid too_little], [found.answer.key, found.answer.reason]
    assert_empty found.estimates
  end
end
