# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Notify::DueNoticesTest < Minitest::Test
  NOW_S = 1_790_000_000
  HOUR_S = 3600

  def finding(rule = :stall, **rest)
    Holdup::Notify::NoticeRules::NoticeFinding.new(rule:, facts: {share: 0.4}, **rest)
  end

  def told(ago_s, rule: "stall", state: :began)
    Holdup::Notice.new(source: "#{rule} #{ago_s}", rule:, state:, at_s: NOW_S - ago_s, by: "web-2")
  end

  def due(*told, findings: [], quiet: nil, minute: 720, by: "web-1")
    plan = Holdup::ConfigurationKeys::NotifyPlan.new(channels: {log: true}, quiet:)
    Holdup::Notify::DueNotices.new(told, plan:, now_s: NOW_S, minute:, by:).call(findings)
  end

  def test_tells_what_is_found
    notice = due(findings: [finding]).first
    assert_equal ["stall", :began, NOW_S], [notice.rule, notice.state, notice.at_s]
    assert_equal({share: 0.4}, notice.facts)
    assert_empty due
  end

  def test_tells_a_lasting_state_once
    assert_empty due(told(60), findings: [finding])
    assert_empty due(told(5 * HOUR_S), findings: [finding])
  end

  def test_tells_once_more_that_it_is_over
    assert_equal [:over], due(told(60)).map(&:state)
    assert_empty due(told(60), told(30, state: :over))
    assert_empty due(told(60, rule: "deaths"))
    assert_empty due(told(60, rule: "verdict", state: :noted))
  end

  def test_tells_each_rule_at_most_once_an_hour
    assert_empty due(told(3599), told(600, state: :over), findings: [finding])
    assert_equal 1, due(told(3600), told(600, state: :over), findings: [finding]).size
    assert_empty due(told(3599, rule: "deaths"), findings: [finding(:deaths, lasts: false)])
    assert_equal 1, due(told(3600, rule: "deaths"), findings: [finding(:deaths, lasts: false)]).size
    assert_equal 1, due(told(60, rule: "deaths"), findings: [finding]).size
  end

  def test_what_is_only_noted_does_not_wait
    notices = due(told(60, rule: "verdict"), findings: [finding(:verdict, lasts: false, noted: true)])
    assert_equal [:noted], notices.map(&:state)
  end

  # So the store keeps only one of them.
  def test_collectors_that_decide_at_once_make_the_same_source
    last = told(2 * HOUR_S, state: :over)
    one, other = %w[web-1 web-2].map { |by| due(last, findings: [finding], by:).first }
    assert_equal one.source, other.source
    refute_equal one.source, due(findings: [finding]).first.source
    refute_equal one.source, due(told(HOUR_S, state: :over), findings: [finding]).first.source
  end

  def test_nothing_is_told_in_the_quiet_hours
    assert_empty due(told(60), findings: [finding(:slo)], quiet: "22:00-07:00", minute: 22 * 60)
    assert_empty due(findings: [finding], quiet: "22:00-07:00", minute: 7 * 60 - 1)
    assert_equal 1, due(findings: [finding], quiet: "22:00-07:00", minute: 7 * 60).size
    assert_equal 1, due(findings: [finding], quiet: "22:00-07:00", minute: 22 * 60 - 1).size
    assert_empty due(findings: [finding], quiet: "12:00-13:30", minute: 720)
    assert_equal 1, due(findings: [finding], quiet: "12:00-13:30", minute: 810).size
  end

  def test_quiet_hours_have_a_length
    assert_equal 540, Holdup::Notify::DueNotices::QuietHours.parse("22:00-07:00").minutes
    assert_nil Holdup::Notify::DueNotices::QuietHours.parse(nil)
  end
end
