# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::AuditLogTest < Minitest::Test
  AT_S = 1_790_000_000

  def change(**facts)
    Holdup::AuditEntry.new(at_s: AT_S, host: "web-1", pid: 7, event: :turn, plan_id: "k3f9",
      lever: "threads", from: 5, to: 3, who: :autopilot, by: "collector@web-1",
      why: "turn 3 of 52, candidate", **facts)
  end

  PLURAL = /\{\w+:[^|}]*\|([^}]*)\}/

  # What the application says without a locale is the same as in the locale, but for one of a thing.
  def test_every_reason_has_its_sentence
    english = Holdup::View::Words::LANGUAGES.fetch("en")
    Holdup::ChangeReason::ENGLISH.each do |key, sentence|
      assert_equal sentence.gsub("%%", "%"), english.fetch(:"why_#{key}").gsub(PLURAL) { $1 }, key
    end
  end

  def test_a_reason_in_the_language_of_the_page
    lease = Holdup::ChangeReason.of(:lease, seconds: 60).to_s
    reason = Holdup::ChangeReason.of(:worker, pid: 7, why: lease).to_s
    shown = %w[en ja].map { |language|
      Holdup::View::AuditLog.reason(reason,
        Holdup::View::Words.new(language))
    }
    assert_equal ["worker 7: its lease was not renewed for 60 s", "ワーカー 7：60 秒間、リースが更新されなかった"], shown
  end

  def test_figures_have_the_same_names
    english = Holdup::View::Words::LANGUAGES.fetch("en")
    Holdup::ChangeReason::FIGURES.each do |name, figure|
      assert_equal english.fetch(:"compare_#{name}"), figure, name
    end
  end

  # The sentence in the log needs no locale.
  def test_a_verdict_in_the_language_of_the_page
    moved = [%w[response_p95 -19.0\ % -21.3..-16.1\ %], %w[errors +1.0\ % +0.4..+1.6\ %]]
      .map { |name, change, interval| Holdup::ChangeReason::JudgedFigure.new(name:, change:, interval:) }
    reason = Holdup::ChangeReason.of(:judged_both, moved:)
    english, japanese = %w[en ja].map do |language|
      Holdup::View::AuditLog.reason(reason.to_s, Holdup::View::Words.new(language))
    end
    assert_equal reason.english, english
    assert_match(/\A改善と悪化の両方：.*p95 -19\.0 %（-21\.3〜-16\.1 %）、エラー \+1\.0 %（.*）。\z/, japanese)
  end

  def test_what_an_experiment_would_have_shown
    visible = [Holdup::ChangeReason::JudgedFigure.new(name: "cpu_unit", change: "4.5 %")]
    reason = Holdup::ChangeReason.of(:judged_none, visible:).to_s
    assert_match(/この実験で示せる最小の差：.*で 4\.5 %。\z/,
      Holdup::View::AuditLog.reason(reason, Holdup::View::Words.new("ja")))
  end

  def log(*changes, language: "en", **options)
    Holdup::View::AuditLog.new(changes, words: Holdup::View::Words.new(language), **options)
  end

  def text(log)
    page = Holdup::View::Page.new(title: "t", blocks: [log.narrow_section])
    Holdup::View::Text.new(page).call
  end

  def test_the_latest_is_first_and_processes_that_changed_alike_are_one_row
    later = change(at_s: AT_S + 180, event: :ends, from: 3, to: 5, who: :lease, by: "", why: "not renewed")
    rows = log(change, change(pid: 8), later).section.rows
    assert_equal [["k3f9 ends: lease", "threads", "3", "5", "web-1", "7", "not renewed"],
      ["k3f9, next turn: autopilot", "threads", "5", "3", "web-1", "7, 8",
        "collector@web-1: turn 3 of 52, candidate"]],
      rows.map { |row| row.values_at(0, 2, 3, 4, 5, 6, 7).map(&:to_s) }
  end

  def test_a_terminal_has_the_reason_below_each_row
    said = text(log(change))
    row = /k3f9, next turn: autopilot +\S+ \S+ +threads 5 -> 3 +7/
    assert_match(/#{row}\n +collector@web-1: turn 3 of 52, candidate/, said)
    assert_operator said.lines.map(&:size).max, :<=, 81
  end

  def test_in_sentences
    sentence = log(change(from: 3)).sentences.first
    assert_match(/ threads stay 3 in processes 7 \(k3f9, next turn: autopilot, collector@web-1: turn 3 of 52/,
      sentence)
    assert_match(/プロセス 7 で threads 5 -> 3（k3f9 交代：オートパイロット/, log(change, language: "ja").sentences.first)
  end

  def test_many_processes_hosts_and_changes
    changes = (1..9).map { |pid| change(pid:) } + [change(host: "web-2", at_s: AT_S + 1)]
    found = log(*changes, limit: 1).section
    assert_equal %w[web-2 7], found.rows.first[5, 2]
    assert_equal "web-2: 7", log(*changes).narrow_section.rows.first[3]
    assert_equal ["1 earlier change is not shown."], found.notes
    assert_equal ["web-1", "1, 2, 3 … (9)"], log(*changes).section.rows.last[5, 2]
  end

  def test_for_programs_all_of_them_oldest_first
    rows = log(change, change(at_s: AT_S + 200, why: "\e[31mred"), limit: 1).to_a
    assert_equal %w[2026-09-21T14:13:20Z 2026-09-21T14:16:40Z], rows.map { |row| row[:at] }
    assert_equal [[7], :turn, "k3f9"], rows.first.values_at(:processes, :event, :plan)
    refute_includes rows.last[:why], "\e"
  end
end
