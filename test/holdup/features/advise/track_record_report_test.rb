# frozen_string_literal: true

require "test_helper"
require "json"
require "support/learned"

class Holdup::Advise::TrackRecordReportTest < Minitest::Test
  AT_S = 1_790_000_000

  def report(*ratios, language: "en", **options)
    outcomes = ratios.map.with_index do |ratio, at|
      figures = %i[response p95 wait].to_h { |name| [name, Learned.figure(ratio)] }
      Learned.outcome(figures:, at_s: AT_S + at, app: "shop")
    end
    record = Holdup::Advise::Sizing::TrackRecord.new(outcomes, kind: :request)
    Holdup::Advise::TrackRecordReport.new(record, kind: :request, words: Holdup::View::Words.new(language),
      **options)
  end

  def text(...) = Holdup::View::Text.new(report(...).page, width: 200).call

  def test_one_sentence
    assert_equal "How right predictions have been here: 3 predictions of the p95 response, median error " \
      "4.8 %; 2 of them at most a tenth off.", report(1.0, 1.05, 1.25).sentence
    assert_match(/ 1 prediction of the p95 response, /, report(1.0).sentence)
    assert_match(/p95 応答時間の予測 3 件、誤差の中央値 4\.8 %、そのうち誤差 10 % 以内は 2 件。/,
      report(1.0, 1.05, 1.25, language: "ja").sentence)
  end

  def test_no_figure_where_there_is_none
    assert_equal "No prediction has come true or false here yet.", report.sentence
    refute_match(/By figure|%/, text)
    assert_match(/まだありません。\n/, text(language: "ja"))
    found = JSON.parse(report.json)
    assert_equal [0, [], []], found.values_at("predictions", "figures", "outcomes")
  end

  def test_each_figure_and_each_prediction
    said = text(1.0, 1.25)
    assert_match(/^response, p95 +2 +10\.0 % +50\.0 %$/, said)
    assert_match(/^2026-09-21 \d\d:\d\d +2 x 5 +100 ms +125 ms +-20\.0 %$/, said)
    assert_operator said.index("-20.0 %"), :<, said.index("100 ms  100 ms") || said.size, "the latest first"
  end

  def test_shows_as_many_predictions_as_wanted
    assert_equal 1, text(1.0, 1.25, limit: 1).scan("2 x 5").size
    assert_equal 1, JSON.parse(report(1.0, 1.25, limit: 1).json)["outcomes"].size
  end

  def with_intervals(judged: [], language: "en")
    figures = [[90, 130], [90, 120]].map do |expected|
      {p95: Learned.figure(1.25, ns: 100_000_000, expected: expected.map { |ms| ms * 1_000_000 })}
    end
    outcomes = figures.map.with_index { |one, at| Learned.outcome(figures: one, at_s: AT_S + at) }
    record = Holdup::Advise::Sizing::TrackRecord.new(outcomes, kind: :request)
    Holdup::Advise::TrackRecordReport.new(record, kind: :request, words: Holdup::View::Words.new(language),
      judged:)
  end

  def test_how_many_were_inside_their_interval
    assert_match(/ 0 of them at most a tenth off; 1 of 2 inside their 90 % interval\.\z/,
      with_intervals.sentence)
    assert_match(/90 % 区間内は 2 件中 1 件。\z/, with_intervals(language: "ja").sentence)
    said = Holdup::View::Text.new(with_intervals.page, width: 200).call
    assert_match(/^response, p95 +2 +20\.0 % +0 % +50\.0 %$/, said)
    assert_match(/ 2 x 5 +100 ms +90\.0 ms\.\.120 ms +125 ms +-20\.0 %$/, said)
    p95 = JSON.parse(with_intervals.json)["outcomes"].first["figures"].first
    assert_equal [90_000_000, 120_000_000, false], p95.values_at("lowest_ns", "highest_ns", "inside")
  end

  def test_changes_without_an_outcome_and_why
    judged = {:revision => 2, nil => 3}.map do |reason, workers|
      Holdup::Advise::JudgedChanges::JudgedChange.new(key: "a", app: "-", changed_s: AT_S,
        facts: {"workers" => [1, workers]}, reason:)
    end
    said = Holdup::View::Text.new(with_intervals(judged:).page, width: 200).call
    assert_match(/^2026-09-21 \d\d:\d\d +workers 1 -> 2 +the revision changed at the same time$/, said)
    refute_includes said, "workers 1 -> 3", "it has an outcome"
    found = JSON.parse(with_intervals(judged:).json)["without_outcome"]
    assert_equal [["revision", {"workers" => [1, 2]}]], found.map { |one| one.values_at("reason", "facts") }
  end

  def test_for_programs
    found = JSON.parse(report(1.25).json)
    assert_equal [1, "request", 1], found.values_at("version", "kind", "predictions")
    assert_equal({"name" => "p95", "predictions" => 1, "median_error" => 0.2, "close" => 0.0,
                  "intervals" => 0, "inside" => 0},
      found["figures"].find { |figure| figure["name"] == "p95" })
    outcome = found["outcomes"].first
    assert_equal ["shop", 2, 5, AT_S], outcome.values_at("app", "processes", "threads", "at_s")
    p95 = outcome["figures"].find { |figure| figure["name"] == "p95" }
    assert_equal [100_000_000, 125_000_000, -0.2], p95.values_at("predicted_ns", "measured_ns", "error")
  end
end
