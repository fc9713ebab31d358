# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# A cause is said with its figure; without one the figures that were looked at are said.
class Holdup::Advise::AdviceVerdict::ReasonsTest < Minitest::Test
  Causes = Struct.new(:figures)
  Test = Struct.new(:errors, :causes, :refuted, :measured, :predicted, :peak, :reasons) do
    def initialize(*given)
      super
      self.reasons ||= []
    end
  end
  Throughput = Struct.new(:throughput)
  Recommendation = Struct.new(:reasons, :self_test)

  FIGURES = {overload: 0.224, starved: 0.012, resource_waits: 0.003, busy: 0.31, swings: 1.4,
             bursts: 0.021, pace: 0.087, chance: 0.23, waits_for_answers: 0.42, unlike_threads: 0.53,
             handoff: 0.034, growth: 0.074, mix: 0.171, other_cpus: 0.112, constant_load: 0.96, pauses: 0.143,
             ceiling: 0.061, machine_speed: 0.125}.freeze

  def said(*reasons, language: "en")
    test = Test.new({response: -0.2, p95: -0.3, wait: 0.1, utilisation: 0.0},
      Causes.new(FIGURES))
    words = Holdup::View::Words.new(language)
    Holdup::Advise::AdviceVerdict::Reasons.new(Recommendation.new(reasons, test), words:, kind: :request).call
  end

  Found = Data.define(:sufficiency)

  # Twenty seconds are not a minute.
  def test_a_recording_below_a_minute_is_said_in_seconds
    result = Holdup::Advise::Sizing::Sufficiency::SufficiencyResult
    said = [[2, 10], [3, 60]].map do |blocks, block_s|
      found = result.new(units: 30, minutes: blocks, blocks:, block_s:, widths: {}, missing: [:units])
      sampling = Holdup::Advise::AdviceVerdict::Sampling.new(Found.new(sufficiency: found),
        words: Holdup::View::Words.new)
      sampling.call.first[/in (.*)\. Missing/, 1]
    end
    assert_equal ["20 s", "3 minutes"], said
  end

  def test_an_unknown_cause_is_said_with_the_figures_that_were_looked_at
    text = said(:self_test, :unknown)
    assert_includes text, "The cause is not known."
    assert_includes text, "without a CPU, 1.2 % of the response"
    assert_includes text, "waits for connections or locks, 0.3 %, bursts of arrivals, 2.1 %, and passing " \
      "the GVL on, 3.4 % (these count from 5.0 % on); chance, +-23.0 %"
    assert_includes text, "the GVL held for 31.0 % of the time at the peak (from 85.0 %)"
    assert_includes text, "the busiest minute with 1.40 times the mean load (from 3.00)"
    refute_includes text, "Likely"
  end

  {
    starved: "this takes 1.2 % of the response (a cause if it is at least 5.0 %)",
    resource_waits: "0.3 % of the response",
    busy: "held for 31.0 % of the time at the peak",
    swings: "1.40 times the mean",
    bursts: "this is 2.1 % of the response (a cause if it is at least 5.0 %)",
    pace: "This is 8.7 % of the response (a cause if it is at least 5.0 %)",
    chance: "by up to +-23.0 % of the response. Record for longer.",
    waits_for_answers: "42.0 % of the requests or jobs came when another one had ended",
    unlike_threads: "53.0 % of the requests or jobs began while all of those were busy",
    handoff: "the difference is 3.4 % of the response",
    growth: "changes by 7.4 % (a cause if it is at least 2.5 %)",
    mix: "that they wanted at the peak differs by 17.1 %",
    other_cpus: "the most that one more process serves changes by 11.2 % (a cause if it is at least 10.0 %)",
    constant_load: "96.0 % of them began while the same number of others ran (a cause if it is at least 50",
    pauses: "once answers take half the time changes by 14.3 % (a cause if it is at least 10.0 %)",
    ceiling: "served 6.1 % more or less",
    machine_speed: "the same fixed work takes 12.5 % longer"
  }.each do |cause, figure|
    define_method(:"test_#{cause}_is_said_with_its_figure") {
      assert_includes said(:self_test, cause), figure
    }
  end

  # The errors of its replay may be small.
  def test_a_refuted_model_is_said_with_both_figures
    test = Test.new({}, Causes.new(FIGURES), 33.14, Throughput.new(33.14), Throughput.new(31.06))
    found = Recommendation.new([:self_test], test)
    words = Holdup::View::Words.new("en")
    said = Holdup::Advise::AdviceVerdict::Reasons.new(found, words:, kind: :request).call
    assert_match(%r{^by the model the present setting can serve at most 31\.1/s, but it served 33\.1}, said)
    assert_match(/then record again\.$/, said)
  end

  # A ceiling that chance refutes by a little says less.
  def test_a_load_beyond_what_can_be_served_is_said_alone
    test = Test.new({}, Causes.new(FIGURES), 33.14, Throughput.new(33.14), Throughput.new(31.06))
    test.reasons = [:overload]
    found = Recommendation.new(%i[self_test overload], test)
    words = Holdup::View::Words.new("en")
    said = Holdup::Advise::AdviceVerdict::Reasons.new(found, words:, kind: :request).call
    assert_match(/\Amore came than the present setting can serve: .* 22\.4 % more requests or jobs/, said)
    assert_match(/Add processes or reduce the load, then record again\.\z/, said)
  end

  # What to do about it, where anything can be done.
  def test_causes_have_a_remedy
    {bursts: "replays then have the bursts", pace: "on half of the processes", busy: "Record for longer",
     resource_waits: "then record again", unlike_threads: "then record again", handoff: "then record again",
     unknown: "Record another hour"}.each do |cause, remedy|
      assert_includes said(:self_test, cause), remedy
    end
  end

  def test_each_possible_cause_has_a_sentence
    assert_equal FIGURES.keys.sort, Holdup::Advise::Sizing::SelfTest::ErrorCauses::LIMITS.keys.sort
  end

  def test_every_cause_in_japanese_with_its_figure
    FIGURES.except(:swings).each do |cause, share|
      assert_includes said(cause, language: "ja"), format("%.1f %%", share * 100)
    end
    assert_includes said(:swings, language: "ja"), "1.40"
    assert_match(/原因は不明です.*1\.2 %.*0\.3 %.*31\.0 %.*1\.40/, said(:unknown, language: "ja"))
  end
end
