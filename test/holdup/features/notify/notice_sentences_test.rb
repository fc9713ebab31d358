# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Notify::NoticeSentencesTest < Minitest::Test
  NOW_S = 1_790_000_000
  # What each rule finds.
  FACTS = {
    stall: {share: 0.31, count: 1000, limit: 0.25},
    verdict: {key: "one_cause", cause: "ReportsController#sales"},
    deaths: {count: 2, ids: %w[a-1 b-2]},
    slo: {slo: "p99=300ms", share: 0.2, hour: 0.15, burn: 20.0},
    revision: {app: "shop", revision: "8b01d4e", before: "3f2 a9", began_s: NOW_S - 1800, look_s: 1800,
               moved: [["wall_p95", 0.312], ["cpu_unit", nil]]},
    autopilot: {at_s: 5, from: 5, to: 3, why: "p95 -20 %"},
    collector: {count: 2, hosts: %w[web-1 web-2]},
    store: {reason: "the store is locked"},
    digest: {from_s: NOW_S - 604_800, to_s: NOW_S}
  }.freeze

  def said(rule, state: :began, facts: FACTS.fetch(rule), report: nil, language: "en",
    web_url: "https://shop.example/holdup/")
    words = Holdup::View::Words.new(language)
    notice = Holdup::Notice.new(source: "#{rule} 0", rule: rule.name, state:, at_s: NOW_S, by: "a", facts:)
    Holdup::Notify::NoticeSentences.new(words:, web_url:).call(notice, report:)
  end

  def test_every_rule_has_a_sentence_without_keys
    assert_equal Holdup::ConfigurationKeys::NotifyPlan::RULES, FACTS.keys
    FACTS.each_key do |rule|
      text = said(rule).text
      refute_match(/%\{|_|one_cause/, text, rule.name)
      refute_equal text, said(rule, language: "ja").text, rule.name
    end
  end

  def test_has_the_sentence_of_the_report_and_the_figure
    told = said(:stall, report: "ReportsController#sales causes most of it.")
    assert_equal "Requests and jobs waited for the GVL for 31.0 % of their elapsed time in the last ten " \
      "minutes; the limit is 25.0 %. ReportsController#sales causes most of it.", told.text
    assert_equal "31.0 %", told.figure
  end

  def test_says_that_it_is_over
    told = said(:stall, state: :over, report: "Not said.")
    assert_equal "Waits for the GVL: over", told.title
    assert_equal "Requests and jobs wait for the GVL for less than the limit (25.0 %) again.", told.text
    %i[slo revision collector store].each { |rule| refute_match(/%\{/, said(rule, state: :over).text) }
  end

  def test_a_verdict_may_have_no_cause
    assert_equal "The verdict has changed.", said(:verdict, facts: {key: "io", cause: nil}).text
  end

  def test_says_what_a_revision_made_worse
    told = said(:revision)
    assert_equal "Revision 8b01d4e is worse than 3f2 a9: elapsed p95 +31.2 %, CPU per request or " \
      "job.", told.text
    span = "since=2026-09-21T13:13:20Z&until=2026-09-21T14:13:20Z"
    assert_equal "https://shop.example/holdup/compare?#{span}&before=revision%3A3f2+a9&" \
      "after=revision%3A8b01d4e", told.link
    assert_equal "holdup compare --revision 3f2\\ a9 8b01d4e --since 2026-09-21T13:13:20Z " \
      "--until 2026-09-21T14:13:20Z", told.command
  end

  def test_links_to_the_span
    assert_equal "https://shop.example/holdup/?since=2026-09-21T14:03:20Z&until=2026-09-21T14:13:20Z",
      said(:stall).link
    assert_match(%r{\Ahttps://shop\.example/holdup/deaths\?since=}, said(:deaths).link)
    assert_nil said(:stall, web_url: nil).link
  end

  def test_names_the_command_that_shows_it
    assert_equal "holdup report --since 2026-09-21T14:03:20Z --until 2026-09-21T14:13:20Z",
      said(:stall).command
    assert_equal "holdup deaths b-2", said(:deaths).command
    assert_equal %w[holdup\ autopilot holdup\ doctor], %i[autopilot store].map { |rule| said(rule).command }
  end

  def test_names_are_untrusted
    told = said(:collector, facts: {count: 1, hosts: ["web\e[2J"]})
    refute_includes told.text, "\e"
  end
end
