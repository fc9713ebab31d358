# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/simulated_arms"

class Holdup::Experiment::RecordedVerdictTest < Minitest::Test
  REVISIONS = {candidate: ->(minute) { (minute < 20) ? "abc" : "def" }}.freeze

  # What a report says of it, in one sentence.
  def test_a_worse_candidate_is_recorded_as_its_report_says_it
    experiment = simulated(errors: {candidate: 8}).experiment
    recorded = recorded(experiment)
    assert_equal :judged_worse, recorded.key
    %w[en ja].each { |language| assert_equal report(experiment, language), shown(recorded, language) }
  end

  def test_no_difference_is_recorded_with_what_would_have_been_shown
    experiment = simulated.experiment
    recorded = recorded(experiment)
    assert_equal :judged_none, recorded.key
    assert_equal report(experiment, "en"), shown(recorded, "en")
    assert_equal experiment.outcomes.size, recorded.figures(:visible).size
  end

  def test_an_invalid_one_has_its_facts
    recorded = recorded(simulated(revisions: REVISIONS).experiment)
    assert_equal [:judged_deploy, {revisions: "abc, def"}], [recorded.key, recorded.facts]
    recorded = recorded(simulated(minutes: 4).experiment)
    assert_equal :judged_too_little, recorded.key
    assert_equal({blocks: "4", control: "960", candidate: "960"}, recorded.facts)
  end

  def test_equal_arms_that_differ
    arms = simulated(differing: 0.4)
    equals = [Holdup::Experiment::Result::EqualArms.new(label: "arm control", sides: arms.halves(:control))]
    recorded = recorded(arms.experiment(equals:))
    assert_equal :judged_unequal, recorded.key
    assert_includes recorded.figures(:moved).map(&:name), "wall_p95"
  end

  def test_no_answer_yet
    assert_nil Holdup::Experiment::RecordedVerdict.of(simulated(minutes: 8).experiment(planned_s: 7200))
  end

  # The autopilot keeps so many characters of a reason.
  def test_is_short
    assert_operator recorded(simulated(errors: {candidate: 8}).experiment).to_s.size, :<, 300
  end

  private

  def simulated(minutes: 40, **options) = SimulatedArms.new(minutes:, **options)

  # As it is after it was written and read.
  def recorded(experiment)
    Holdup::ChangeReason.parse(Holdup::Experiment::RecordedVerdict.of(experiment).to_s)
  end

  def report(experiment, language)
    Holdup::Experiment::Report.new(experiment, words: Holdup::View::Words.new(language)).verdict
  end

  def shown(recorded, language)
    Holdup::View::AuditLog.reason(recorded.to_s, Holdup::View::Words.new(language))
  end
end
