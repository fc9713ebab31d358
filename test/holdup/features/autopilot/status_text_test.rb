# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Autopilot::StatusTextTest < Minitest::Test
  NOW_S = 1_790_000_000
  # An hour after the A/A phase, with three looks at twelve cycles of six minutes each.
  PLAN = Holdup::ExperimentPlan.new(id: "k3f9", lever: "threads", values: [16, 2], by: "x", why: "p95 -20 %",
    lease: Holdup::PlanLease.new(leased_s: NOW_S, lease_s: 60),
    turns: Holdup::Switchback.after(NOW_S, turn_s: 180, settle_s: 30, seed: 1, equal_cycles: 6, cycles: 36))

  def status(language = "en", now_s: NOW_S, **state)
    Holdup::Autopilot::StatusText.new(Holdup::Autopilot::State.new(**state),
      words: Holdup::View::Words.new(language), now_s:)
  end

  def test_is_off_until_a_collector_acts
    refute_predicate status, :on?
    assert_predicate status(waits: :low_load), :on?
  end

  def test_says_why_it_waits
    assert_equal "Waiting: the load is below half of the usual one.", status(waits: :low_load).text
    assert_match(/\A待機中：負荷が/, status("ja", waits: :low_load).text)
  end

  def test_says_why_advice_has_no_answer
    said = status(waits: :unknown, detail: "self_test").text
    assert_includes said, Holdup::View::Words.new("en").call(:no_answer_self_test)
  end

  def test_says_when_the_next_look_at_an_experiment_is
    now_s = PLAN.turns.changes_s + 12 * 360 - 480
    said = status(plan: PLAN, now_s:).text
    assert_match(/\AExperiment: 16 and 2 threads take turns until .*-20 %\)\. Too early to say; /, said)
    assert_match(/ the next look is in about 8 min\.\z/, said)
    assert_match(/次の判定は約 8 分後です。\z/, status("ja", plan: PLAN, now_s:).text)
    later = status(plan: PLAN, now_s: now_s + 480).text
    assert_match(/ the next look is in about 72 min\.\z/, later)
  end

  def test_says_which_lever_is_moved
    now_s = PLAN.turns.ends_s
    processes = PLAN.with(lever: "processes", values: [2, 3])
    assert_match(/\AExperiment: 2 and 3 processes take turns/, status(plan: processes, now_s:).text)
    assert_match(/\AKept: the server has 3 processes instead of 2/, status(kept: processes, now_s:).text)
    assert_match(/\A採用中：サーバーのプロセス数を 2 から 3/, status("ja", kept: processes, now_s:).text)
  end

  def test_says_why_a_server_can_not_be_moved
    said = status(waits: :no_process, detail: "puma_single").text
    assert_match(/\AWaiting: no process of this host can .*: a single Puma has one process/, said)
    assert_match(/\AWaiting: no process of this host can .*: Puma 8 can/, status(waits: :no_process).text)
  end

  def test_after_the_last_look_none_is_next
    said = status(plan: PLAN, now_s: PLAN.turns.ends_s).text
    assert_match(/ \(p95 -20 %\)\.\z/, said)
  end

  def test_is_a_key_and_a_sentence_for_programs
    found = status(waits: :low_load).to_h
    assert_equal :waiting, found[:phase]
    assert_equal :low_load, found[:reason]
    assert_equal "Waiting: the load is below half of the usual one.", found[:text]
  end
end
