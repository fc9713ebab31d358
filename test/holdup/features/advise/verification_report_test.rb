# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# Why a prediction missed is said as far as figures of the time since support it.
class Holdup::Advise::VerificationReportTest < Minitest::Test
  FoundCauses = Holdup::Advise::Sizing::SelfTest::ErrorCauses::FoundCauses

  def said(*causes, starved: 0.0, error: 0.3, queued: true, name: :p95, language: "en")
    line = Holdup::Advise::Sizing::Verification::VerifiedFigure.new(name:, before: 5_000_000,
      predicted: 4_000_000,
      measured: 3_000_000, error:, interval: error - 0.1..error + 0.1)
    figures = {starved:, resource_waits: 0.0, busy: 0.2, swings: 1.1, bursts: 0.0, handoff: 0.0, chance: 0.1}
    candidate = Holdup::Advise::Sizing::Candidate.new(processes: 2, threads: 5, time_slice_ns: 100_000_000)
    found = Holdup::Advise::Sizing::Verification::VerificationResult.new(candidate:, units: 1_000,
      lines: [line],
      causes: FoundCauses.new(call: causes, figures:), sliced: false, queued:)
    words = Holdup::View::Words.new(language)
    page = Holdup::Advise::VerificationReport.new(found, span: "now", words:).page
    Holdup::View::Text.new(page, width: 1_000).call
  end

  def test_a_miss_names_the_cause_that_its_figure_supports
    text = said(:starved, starved: 0.2)
    beginning = /MISSED: .* differed from the prediction\. /
    ending = /Likely because threads that hold the GVL lack a CPU: this takes 20\.0 % of the response/
    assert_match(/#{beginning}#{ending}/, text)
  end

  def test_a_miss_without_such_a_figure_says_that_the_cause_is_not_known
    text = said(:unknown)
    assert_includes text,
      "The cause is not known. Each of these is too small to explain it: threads that held the GVL " \
      "without a CPU, 0 % of the response"
    assert_includes text, "this was not checked"
  end

  def test_a_miss_in_japanese
    assert_match(/予測と異なりました。原因は不明です.*調べていません。/, said(:unknown, language: "ja"))
  end

  def test_waits_are_stall_alone_where_queueing_is_not_known
    assert_match(/^queued \+ GVL wait /, said(name: :wait, error: 0.0))
    assert_match(/^GVL wait only /, said(name: :wait, queued: false, error: 0.0))
  end

  def test_what_came_true_names_no_cause
    refute_match(/cause|Likely/, said(error: 0.0))
  end
end
