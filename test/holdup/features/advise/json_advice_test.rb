# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "../../../support/advice_answers"
require_relative "../../../support/advised_recording"

class Holdup::Advise::JsonAdviceTest < Minitest::Test
  def of(recommendation = AdvisedRecording.recommendation, **options)
    answer = AdviceAnswers.of(recommendation, **options)
    Holdup::Advise::JsonAdvice.new(answer, warm_up_s: 120)
  end

  def test_is_what_to_h_says_and_ends_its_line
    assert_operator of.call, :end_with?, "}\n"
    assert_equal JSON.parse(JSON.generate(of.to_h)), JSON.parse(of.call)
  end

  def test_has_what_was_asked_so_that_verify_can_ask_again
    found = of.to_h
    assert_equal({version: 1, kind: :request, from_s: 0, to_s: 1, warm_up_s: 120},
      found.slice(:version, :kind, :from_s, :to_s, :warm_up_s))
  end

  def test_the_best_is_one_of_the_candidates_and_its_gain_has_an_interval
    found = of.to_h
    assert_includes found[:candidates], found[:best]
    low, high = found[:gain_interval]
    assert_operator low, :<=, high
    assert_equal found[:gain], found[:gain].round(4)
  end

  def test_durations_are_whole_nanoseconds
    of.to_h[:candidates].each do |candidate|
      assert_equal %w[p50 p95 p99], candidate[:response_ns].keys & %w[p50 p95 p99]
      times = [*candidate[:response_ns].values, *candidate[:wait_ns].values]
      assert_empty times.grep_v(Integer)
    end
  end

  def test_a_refusal_has_its_reasons_and_no_candidates
    mixed = PlayedRecording.new(minutes: 3).tap { |one| one.problems << :mixed_settings }
    found = of(mixed.recommendation).to_h
    assert_equal [:unknown, [:mixed_settings]], found.values_at(:verdict, :reasons)
    refute_includes found, :candidates
    assert_equal [:no_recording], of(nil).to_h[:reasons]
  end

  def test_findings_keep_their_facts
    finding = Holdup::Advise::Rules::Finding.new(rule: :convoy, gain: 0.123456, interval: 0.1..0.2,
      facts: {name: "A#a"}, weight: 0.5)
    found = of(nil, findings: [finding]).to_h[:findings].first
    assert_equal [:convoy, {name: "A#a"}, 0.1235, [0.1, 0.2], 0.5, nil],
      found.values_at(:rule, :facts, :gain, :gain_interval, :weight, :change)
  end
end
