# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/situations"

class Holdup::Advise::AdviceAnswerTest < Minitest::Test
  def summary(windows)
    sample = SampleWindows.new(minutes: 1)
    Holdup::Analysis::Summary.new(windows || sample.to_a, from_s: sample.from_s, to_s: sample.to_s)
  end

  def answer(windows: nil, recommendation: nil)
    situation = Holdup::Advise::Rules::Situation.new(summary: summary(windows), recommendation:)
    Holdup::Advise::AdviceAnswer.of(situation, span: {kind: :request, from_s: 1, to_s: 2})
  end

  def test_the_load_is_that_of_all_that_was_measured
    load = answer.load
    assert_equal SampleWindows::STOREFRONT.values.sum { |shape| shape[:units] }, load.count
    assert_in_delta load.count / 60.0, load.throughput, 0.01
    assert_includes 0.01..0.99, load.idle_share
  end

  def test_without_single_requests_there_is_no_result_and_no_fleet
    found = answer
    assert_nil found.result
    assert_nil found.deadlines
    assert_nil found.fleet
    assert_equal [:request, 1, 2], [found.kind, found.from_s, found.to_s]
  end

  def test_nothing_that_was_measured_is_a_load_of_none
    load = answer(windows: []).load
    assert_equal 0, load.count
    assert_nil load.idle_share
  end
end
