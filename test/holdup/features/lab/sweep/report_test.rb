# frozen_string_literal: true

require "test_helper"
require "support/swept"
require "holdup/loader"

class Holdup::Lab::Sweep::ReportTest < Minitest::Test
  include Swept

  ALL = [[1, 5, {}], [1, 5, {again: true}], [1, 3, {}]].freeze

  def found(p95_ms = 80, **options)
    readings = ALL.map { |processes, threads, more|
      reading(arm(processes, threads, **more), p95_ms: (threads == 3) ? p95_ms : 100, **options)
    }
    result(*readings, predictions: [prediction(arm), prediction(arm(1, 3), p95_ms: 90)])
  end

  def text(result, language = "en")
    Holdup::View::Text.new(Swept::Sweep::Report.new(
      result,
      words: Holdup::View::Words.new(language)
    ).page).call
  end

  def test_the_verdict_first_then_measured_and_predicted
    said = text(found)
    assert_match(
      /1 x 3 is better than 1 x 5 at 40 requests\/s: p95 80.0 ms instead of 100\s+ms\s+\(-20.0 %\)/, said
    )
    beginning = /were\s+off\s+by\s+at\s+most 0 % for\s+served\/s, 5.0\s+% of the\s+response for\s+wait, /
    ending = /and 12.5 %\s+for\s+p95/
    assert_match(/#{beginning}#{ending}/, said)
    assert_match(/^1 x 3 +40.0 +40.0 +0 % +10.0 +12.0 +\+5 % +80.0 +90.0 +\+12 % +101$/, said)
    assert_match(/^1 x 5 \* +11.0 +90.0 MB +6 s +0 +1 +40$/, said)
    assert_match(/Amdahl's law gives #{Holdup::Analysis::Amdahl.suggestion(20 / 30.0)} threads for 66.7 % io/,
      said.gsub(/\s+/, " "))
  end

  def test_keeps_what_chance_can_explain
    assert_match(/KEEP 1 x 5: at 40 requests\/s no other setting is better by more than\s+chance/,
      text(found(97)))
  end

  def test_says_what_to_mistrust
    said = text(found(80, steady: false, errors: 2))
    assert_match(/! not steady when the measurement began: 1 x 5, 1 x 5 \(again\), 1 x 3; give it/, said)
    assert_match(/! requests failed or had another status than 200 to 399: 1 x 5/, said)
    assert_match(
      /Too early to say: 1 x 5.*! Stopped: 2 of 3 steps are left. `holdup lab sweep\s+--resume sweep.json`/m,
      text(result(reading(arm)))
    )
    assert_match(/Nothing was predicted/, text(result(reading(arm))))
  end

  # Beyond the lowest rate of a ladder it is what the ladder is for.
  def test_says_where_the_lowest_rate_was_too_much
    slow = [reading(arm, throughput: 12.0), reading(arm, rate: 80, sent: 800, throughput: 12.0)]
    assert_match(/! could not keep up with the lowest rate: 1 x 5. Their queue grew until the end/,
      text(result(*slow, plan: plan(rates: [40, 80]))))
    refute_match(/could not keep up/, text(result(reading(arm), slow.last, plan: plan(rates: [40, 80]))))
  end

  def test_says_which_requests_of_a_recording_it_sent
    left = %w[A#a B#b C#c D#d E#e F#f G#g]
    said = text(result(
      reading(arm),
      plan: plan(
        rates: [20, 40],
        recorded: {endpoints: 3, rate: 21.3, left:, left_share: 0.2, left_cpu: 0.41}
      )
    )).gsub(
      /\s+/, " "
    )
    assert_includes said,
      "Requests as recorded: 3 endpoints, with 21.3 requests a second to each host in a busy minute. " \
      "Sent: 20, 40 requests/s."
    assert_includes said,
      "! left out, because the recording has no path of a GET for them: A#a, B#b, C#c, D#d, " \
      "E#e and 2 more (20.0 % of the recorded requests, 41.0 % of their CPU)."
    refute_match(/left out/,
      text(result(reading(arm), plan: plan(recorded: {endpoints: 3, rate: 21.3, left: []}))))
  end

  def test_says_that_a_loop_was_closed
    said = text(result(*ALL.map { |processes, threads, more| reading(arm(processes, threads, **more)) },
      plan: plan(tool: "wrk")))
    assert_match(/^At 40 connections of wrk$/, said)
    assert_match(/! wrk is a closed loop: .*coordinated\s+omission/m, said)
  end

  def test_says_what_a_pace_is_not
    said = text(result(*ALL.map { |processes, threads, more| reading(arm(processes, threads, **more)) },
      plan: plan(tool: "oha")))
    assert_match(/^At 40 requests\/s$/, said)
    assert_match(/! oha sends at even intervals, .*counted\s+from\s+when\s+a\s+request\s+was\s+due/m, said)
    refute_match(/Nothing was predicted/, said)
  end

  def test_fits_in_80_columns_in_each_language
    %w[en ja].each do |language|
      wide = text(found(80, steady: false), language).lines(chomp: true).select do |line|
        Holdup::View::Width.of(line) > 80
      end
      assert_empty wide
    end
    assert_includes text(found, "ja"), "1 x 3 の方が 1 x 5 より良い結果です"
  end
end
