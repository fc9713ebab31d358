# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# One sentence says why, and ends with what to do.
class Holdup::Advise::AdviceRefusalTest < Minitest::Test
  Sizing = Holdup::Advise::Sizing
  Result = Data.define(:reasons, :self_test, :recording, :sufficiency)
  Causes = Data.define(:figures)
  Test = Data.define(:reasons, :refuted, :peak, :causes, :measured, :predicted)
  Throughput = Data.define(:throughput)
  Figures = Data.define(:cold_share, :unit_samples)
  Shortage = Holdup::Analysis::CpuShortage::ShortageFigures

  def self_test(*reasons, refuted: nil, peak: nil)
    Test.new(reasons:, refuted:, peak:, causes: Causes.new(figures: {machine_speed: 0.125}),
      measured: Throughput.new(33.14), predicted: Throughput.new(31.06))
  end

  def result(*reasons, **test)
    sufficiency = Sizing::Sufficiency::SufficiencyResult.new(units: 37, minutes: 4, blocks: 4, block_s: 60,
      widths: {}, missing: [:units])
    Result.new(reasons:, self_test: self_test(*reasons.drop(1), **test), sufficiency:,
      recording: Figures.new(cold_share: 0.61, unit_samples: 150))
  end

  def said(result, language: "en", kind: :request, shortage: nil)
    words = Holdup::View::Words.new(language)
    Holdup::Advise::AdviceRefusal.new(result, words:, kind:, shortage:).sentence
  end

  def shortage(culprit, taken: 1.7, vcpus: 2) = Shortage.new(culprit:, share: 0.7, taken:, vcpus:)

  def test_a_host_without_a_free_cpu_comes_before_what_else_its_recording_shows
    expected = "Can't size yet: this host is out of CPU (other processes use 1.7 of 2 vCPUs). " \
      "Free it, record 20 minutes, ask again."
    %i[self_test not_enough few_units warming_up].each do |reason|
      assert_equal expected, said(result(reason, :overload), shortage: shortage(:other_processes))
    end
    expected = "まだ判断できません。このホストは CPU が足りません（ほかのプロセスが 2 vCPU のうち 1.7 を使っています）。" \
      "CPU を空け、20 分記録してから、もう一度実行してください。"
    assert_equal expected, said(result(:self_test), shortage: shortage(:other_processes), language: "ja")
  end

  def test_a_question_that_no_cpu_answers_is_said_first
    assert_match(/several settings/, said(result(:mixed_settings), shortage: shortage(:own)))
    assert_match(/no requests were recorded.*For jobs add --kind job\./, said(nil, shortage: shortage(:own)))
  end

  def test_each_culprit_of_a_shortage_has_its_action
    {own: "Run fewer processes", host: "Reserve CPUs", steal: "Take dedicated CPUs", quota: "Raise the quota",
     unknown: "Find out what uses the CPUs"}.each do |culprit, action|
      assert_includes said(result(:self_test), shortage: shortage(culprit)), action
    end
    assert_includes said(result(:self_test), shortage: shortage(:own, taken: nil, vcpus: nil)),
      "(its processes use up the CPUs)."
  end

  def test_little_that_is_recorded_is_said_with_its_figures
    assert_equal "Can't size yet: only 37 requests or jobs are recorded so far (in 4 minutes), and sizing " \
      "needs 400. Record for longer, ask again.", said(result(:few_units))
    assert_match(/150 requests or jobs were stored individually, and a replay needs 200/,
      said(result(:few_unit_samples)))
    assert_match(/\ACan't size yet: 61\.0 % of the requests or jobs came soon after a boot/,
      said(result(:warming_up)))
  end

  # A queue that only grows refutes the model too.
  def test_what_says_most_of_a_failed_self_test_is_said
    peak = Sizing::SelfTest::PeakContradiction.new(percentile: 0.95, replayed_ns: 90_000_000,
      measured_ns: 30_000_000)
    assert_match(/more requests or jobs came than this setting can serve/,
      said(result(:self_test, :starved, :overload, refuted: 33.1, peak:)))
    assert_match(%r{served 33\.1/s, and the model allows at most 31\.1/s},
      said(result(:self_test, :starved, refuted: 33.1, peak:)))
    assert_match(/p95 of the response: 90\.0 ms instead of 30\.0 ms/,
      said(result(:self_test, :starved, peak:)))
    assert_match(/threads that hold the GVL lack a CPU/, said(result(:self_test, :starved, :bursts)))
  end

  def test_every_cause_has_a_sentence_and_an_action_in_each_language
    causes = Holdup::Advise::AdviceVerdict::Reasons::CAUSES + [:queue_unknown]
    {"en" => /\ACan't size yet: \p{Lower}[^%{]*\. \p{Upper}.*[.)]\z/,
     "ja" => /\Aまだ判断できません。[^{]+。[^{]*ください。\z|\Aまだ判断できません。[^{]+ください（--since、--until）。\z/}
      .each do |language, sentence|
      causes.each { |cause| assert_match sentence, plain(said(result(:self_test, cause), language:)), cause }
      (Holdup::Advise::AdviceRefusal::KNOWN - [:self_test]).each do |reason|
        assert_match sentence, plain(said(result(reason), language:)), reason
      end
      assert_match sentence, plain(said(result(:self_test), language:))
    end
  end

  # Without its shares.
  def plain(text) = text.gsub(/\d+(?:\.\d+)? %/, "a share")

  def test_a_problem_of_another_version
    assert_equal "Can't size yet: the recording has a problem (odd thing). Choose another span.",
      said(result(:odd_thing))
  end
end
