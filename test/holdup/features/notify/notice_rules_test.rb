# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Notify::NoticeRulesTest < Minitest::Test
  NoticeRules = Holdup::Notify::NoticeRules
  CALM = {key: "calm", cause: nil}.freeze
  HOG = {key: "one_cause", cause: "ReportsController#sales"}.freeze
  NOW_S = 1_790_000_000

  def span(count: 1000, share: 0.1, verdict: CALM)
    NoticeRules::SpanFacts.new(count:, stalled_share: share, verdict:, text: "The report's sentence.")
  end

  def found(rule, now: span, hour: now, plan: {}, **facts)
    watched = NoticeRules::WatchedFacts.new(now:, hour:, **facts)
    wanted = Holdup::ConfigurationKeys::NotifyPlan.new(channels: {log: true}, **plan)
    NoticeRules.call(watched, wanted).find { |finding| finding.rule == rule }
  end

  def told(rule, state: :began, **facts)
    [Holdup::Notice.new(source: "#{rule} 0", rule:, state:, at_s: NOW_S, by: "web-1", facts:)]
  end

  def test_tells_stall_above_the_limit
    assert_nil found(:stall, now: span(share: 0.24))
    finding = found(:stall, now: span(share: 0.31))
    assert_equal({share: 0.31, count: 1000, limit: 0.25}, finding.facts)
    assert_equal "The report's sentence.", finding.text
    assert found(:stall, now: span(share: 0.24), plan: {stall: 0.2})
  end

  def test_a_stall_that_was_told_is_over_well_below_the_limit
    assert found(:stall, now: span(share: 0.21), told: told("stall"))
    assert_nil found(:stall, now: span(share: 0.19), told: told("stall"))
    assert_nil found(:stall, now: span(share: 0.21), told: told("stall", state: :over))
  end

  def test_the_share_of_few_requests_is_chance
    assert_nil found(:stall, now: span(share: 0.9, count: 99))
    assert_nil found(:verdict, now: span(verdict: HOG, count: 99))
  end

  def test_the_first_verdict_is_only_noted
    assert found(:verdict, now: span(verdict: HOG)).noted
    refute found(:verdict, now: span(verdict: HOG), told: told("verdict", state: :noted, **CALM)).noted
  end

  def test_a_verdict_without_a_problem_is_only_noted
    assert found(:verdict, told: told("verdict", **HOG)).noted
  end

  def test_tells_a_verdict_when_it_holds_for_an_hour
    before = told("verdict", **CALM)
    assert_nil found(:verdict, now: span(verdict: HOG), hour: span, told: before)
    assert_equal HOG, found(:verdict, now: span(verdict: HOG), told: before).facts
    assert_nil found(:verdict, now: span(verdict: HOG), told: told("verdict", **HOG))
  end

  def test_tells_each_death_once
    deaths = [{id: "a-1", text: "puma 1 died."}, {id: "b-2", text: "puma 2 died."}]
    finding = found(:deaths, deaths:)
    assert_equal [2, %w[a-1 b-2]], finding.facts.values_at(:count, :ids)
    assert_equal "puma 2 died.", finding.text
    assert_equal ["b-2"], found(:deaths, deaths:, told: told("deaths", ids: ["a-1"])).facts[:ids]
    assert_nil found(:deaths, deaths:, told: told("deaths", ids: %w[a-1 b-2]))
  end

  def promise(lately:, hour: lately, budget: 0.01, count: 500)
    NoticeRules::PromiseFacts.new(slo: "p99=300ms", budget:, lately:, hour:, count:)
  end

  def test_tells_an_slo_that_is_spent_too_fast_over_both_windows
    assert_nil found(:slo)
    assert_nil found(:slo, promise: promise(lately: 0.143))
    assert_nil found(:slo, promise: promise(lately: 0.2, hour: 0.1))
    assert_nil found(:slo, promise: promise(lately: 0.1, hour: 0.2))
    finding = found(:slo, promise: promise(lately: 0.2, hour: 0.15))
    assert_equal({slo: "p99=300ms", share: 0.2, hour: 0.15, burn: 20.0}, finding.facts)
    assert_nil found(:slo, promise: promise(lately: 0.9, count: 99))
  end

  # Of a promise to half of the requests, 14.4 times the budget would be more than all requests.
  def test_half_of_all_requests_is_always_too_fast
    assert found(:slo, promise: promise(lately: 0.5, budget: 0.5))
    assert_nil found(:slo, promise: promise(lately: 0.49, budget: 0.05))
  end

  def revision(key, revision: "b", before: "a", app: "shop")
    [Holdup::Notify::RevisionFacts.new(app:, revision:, before:, began_s: 1, look_s: 1800, key:,
      moved: [["wall_p95", 0.3]], text: "What compare says.")]
  end

  def told_of(facts, **rest) = told("revision", **facts.first.told, **rest)

  def test_tells_a_worse_revision_once
    %i[better none both unknown].each { |key| assert_nil found(:revision, revisions: revision(key)) }
    finding = found(:revision, revisions: revision(:worse))
    assert_equal ["b", "a", [["wall_p95", 0.3]]], finding.facts.values_at(:revision, :before, :moved)
    assert_equal "What compare says.", finding.text
    refute finding.lasts, "another revision is told, too"
    over = told_of(revision(:worse), state: :over)
    assert_nil found(:revision, revisions: revision(:worse), told: over)
  end

  def test_a_worse_revision_is_over_when_it_or_a_later_one_is_better
    told = told_of(revision(:worse))
    still = [[], revision(:worse), revision(:unknown), revision(:none, revision: "c", before: "b"),
      revision(:better, app: "blog")]
    still.each do |revisions|
      assert_equal told.last.facts, found(:revision, revisions:, told:)&.facts, revisions.inspect
    end
    over = [revision(:none), revision(:better), revision(:better, revision: "c", before: "b")]
    over.each { |revisions| assert_nil found(:revision, revisions:, told:), revisions.inspect }
  end

  def test_tells_what_the_autopilot_did_after_the_last_time
    changes = [{at_s: 5, from: 5, to: 3, why: "a"}, {at_s: 9, from: 3, to: 5, why: "b"}]
    assert_equal changes.last, found(:autopilot, changes:).facts
    assert_equal changes.last, found(:autopilot, changes:, told: told("autopilot", at_s: 5)).facts
    assert_nil found(:autopilot, changes:, told: told("autopilot", at_s: 9))
  end

  def test_names_some_of_the_silent_hosts
    assert_nil found(:collector)
    hosts = %w[g f e d c b a]
    assert_equal({count: 7, hosts: %w[a b c d e]}, found(:collector, silent_hosts: hosts).facts)
  end

  def test_only_rules_that_are_asked_for_are_told
    assert_nil found(:collector, silent_hosts: ["a"], plan: {rules: [:stall]})
  end

  def test_every_rule_that_can_be_set_is_there
    assert_equal Holdup::ConfigurationKeys::NotifyPlan::RULES, [*NoticeRules::ALL.keys, :store, :digest]
  end
end
