# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/advice_answers"
require_relative "../../../support/advised_recording"

class Holdup::Advise::ReportTest < Minitest::Test
  Blocks = Holdup::View::Blocks
  SAMPLE = SampleWindows.new(minutes: 1)
  SUMMARY = Holdup::Analysis::Summary.new(SAMPLE.to_a, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s)
  RECORDING = AdvisedRecording::RECORDING
  ADVISED = AdvisedRecording.recommendation

  def page(recommendation: ADVISED, summary: SUMMARY, findings: [], language: "en", limit: 15)
    answer = AdviceAnswers.of(recommendation, findings:, summary:)
    Holdup::Advise::Report.new(answer, words: Holdup::View::Words.new(language), span: "today", limit:)
  end

  # Without a replay, so it is cheap.
  def refused(limits: RECORDING.limits)
    mixed = PlayedRecording.new(minutes: 3)
    mixed.problems << :mixed_settings
    mixed.recommendation(limits:)
  end

  def nothing
    Holdup::Analysis::Summary.new([], from_s: SAMPLE.from_s, to_s: SAMPLE.to_s)
  end

  def facts(page)
    page.grounds.grep(Blocks::Facts).first
  end

  def test_the_answer_comes_first_then_its_effect_then_the_settings
    kinds = page.answer.map(&:class)

    assert_equal [Blocks::Lead, Blocks::Notes, Blocks::InlineCharts, Holdup::View::Section,
      Blocks::Findings], kinds
    assert_match(/today/, page.title)
  end

  # @return [Holdup::Advise::Rules::Finding]
  def finding(rule, **facts)
    times = {percentile: "p95", wait_now_ns: 9_000_000, wait_then_ns: 1_000_000, memory_bytes: 1 << 30}
    change = Holdup::Advise::Rules::Finding::ProposedChange.new(new: "workers 2", old: "workers 1",
      where: "config/puma.rb:14", how: :restart)
    Holdup::Advise::Rules::Finding.new(rule:, gain: 0.2, interval: 0.1..0.3, remedy: :setting, change:,
      facts: {**times, query: "whatif --threads 3", **facts})
  end

  # @param findings [Array<Holdup::Advise::Rules::Finding>]
  # @return [String]
  def screen(findings, language: "en", width: 80)
    answer = AdviceAnswers.of(ADVISED, findings:, summary: SUMMARY)
    store = {"--store" => "/var/lib/holdup/store.sqlite3"}
    names = [*Holdup::Advise::Report::AdviceScreen::COMMANDS, "advise", "verify"]
    given = names.to_h { |name| [name, store] }
    made = Holdup::Advise::Report::AdviceScreen.new(answer, words: Holdup::View::Words.new(language),
      span: "today", limit: 15, given:)
    console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new,
      env: {"COLUMNS" => width.to_s}, clock: nil)
    Holdup::CLI::Formats.screen(made, console:)
  end

  def test_a_screen_of_three_changes_fits_and_keeps_what_decides
    changes = [finding(:process_count, best: 2, now: 1), finding(:thread_count, best: 3, now: 5),
      finding(:time_slice, slice_ns: 10_000_000, now_ns: 100_000_000)]
    %w[en ja].each do |language|
      text = screen(changes, language:)
      assert_operator text.lines.size, :<=, 39, text
      assert_equal [1, 1, 1], (1..3).map { |number| text.scan(/^#{number}\. /).size }
      assert_match(/p95 .*ms/, text)
      assert_match(/self-test grade A|自己検査の評価：A/, text)
      assert_match(/advise --verify advice\.json/, text)
    end
    assert_equal 1, screen(changes)[/^What to do$.*^What to do next$/m].scan(/^ +risk /).size
    assert_equal 1, screen(changes.first(1)).scan(/^elapsed, p99 /).size
  end

  def test_without_a_recording_only_the_reason_and_the_findings
    found = page(recommendation: nil, summary: nothing)

    assert_equal [Blocks::Lead, Blocks::Fold, Blocks::Findings], found.answer.map(&:class)
    assert_empty found.grounds
    assert_match(/today/, found.title)
  end

  def test_without_a_verdict_there_is_no_table_but_what_is_known
    found = page(recommendation: refused)

    assert_equal [Blocks::Lead, Blocks::Fold, Blocks::Findings], found.answer.map(&:class)
    assert_equal 1, found.grounds.grep(Blocks::Facts).size
  end

  # Requests were measured but can't be replayed: their idle share is known all the same.
  def test_the_rule_of_thumb_without_a_recommendation_is_of_what_was_measured
    found = page(recommendation: nil).grounds

    assert_equal 1, found.size
    assert_operator found.first.rows.size, :>, 1
    refute_empty found.first.notes
    assert(found.first.notes.all?(String))
  end

  def test_the_rule_of_thumb_of_a_recording_says_why_it_is_wrong
    share = Holdup::View::Figures.share(RECORDING.demand.idle_share)

    assert_equal 1, page.grounds.last.notes.size
    assert_includes page.grounds.last.notes.first, share
  end

  def test_limits_that_were_not_given_are_not_known
    unknown = Holdup::View::Words.new.call(:not_known)

    assert_equal ["2.00", unknown, unknown, unknown, "1"], facts(page).pairs.values
  end

  def test_limits_are_shown_with_their_units
    limits = RECORDING.limits(memory_limit_bytes: 2_000_000_000, connections: 40, pool: 5)
    given = RECORDING.recommendation(limits:, units: 800)

    assert_equal ["2.00", "2.00 GB", "5", "40", "1"], facts(page(recommendation: given)).pairs.values
  end

  def test_without_findings_it_says_so
    found = page.answer.last

    assert_empty found.items
    refute_empty found.none
  end

  def test_a_finding_is_a_sentence
    facts = {memory_bytes: 9, limit_bytes: 10, used_share: 0.9, query: "report"}
    finding = Holdup::Advise::Rules::Finding.new(rule: :memory_headroom, facts:)

    assert_equal 1, page(findings: [finding]).answer.last.items.size
  end

  def test_in_japanese
    japanese = page(language: "ja")
    texts = [japanese.title, japanese.answer.first.text, *japanese.grounds.grep(Blocks::Facts).map(&:title)]

    texts.each { |text| assert_match(/\p{Hiragana}|\p{Han}|\p{Katakana}/, text) }
  end
end
