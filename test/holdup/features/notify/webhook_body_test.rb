# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Notify::WebhookBodyTest < Minitest::Test
  LINK = "https://shop.example/holdup/?since=a&until=b"
  MESSAGE = Holdup::Notify::NoticeMessage.new(rule: "stall", state: :began, at_s: 1_790_000_000,
    source: "stall 0", title: "Waits for the GVL", text: "A <@here> & *b* waited.",
    figure: "31 %", link: LINK, command: "holdup report")

  def body(kind, message = MESSAGE, **rest)
    JSON.parse(Holdup::Notify::WebhookBody.call(kind, message, **rest))
  end

  def test_plain_json_has_all_of_it
    assert_equal({"schema" => 1, "source" => "stall 0", "rule" => "stall", "state" => "began",
      "at" => "2026-09-21T14:13:20Z", "title" => "Waits for the GVL", "text" => "A <@here> & *b* waited.",
      "figure" => "31 %", "command" => "holdup report", "link" => LINK}, body(:webhook))
  end

  def test_slack_mentions_nobody_whom_a_name_mentions
    assert_equal "*Waits for the GVL*\nA &lt;@here&gt; &amp; *b* waited.\n`holdup report`\n<#{LINK}>",
      body(:slack).fetch("text")
  end

  def test_teams_gets_a_card
    card = body(:teams).fetch("attachments").first
    assert_equal "application/vnd.microsoft.card.adaptive", card.fetch("contentType")
    texts = card.dig("content", "body").map { |block| block.fetch("text") }
    assert_equal ["Waits for the GVL", "A \\<@here\\> & \\*b\\* waited.", "holdup report"], texts
    assert_equal [LINK], card.dig("content", "actions").map { |action| action.fetch("url") }
    refute body(:teams, MESSAGE.with(link: nil)).dig("attachments", 0, "content").key?("actions")
  end

  def test_discord_mentions_nobody
    said = body(:discord, MESSAGE.with(text: "x" * 5000))
    assert_equal({"parse" => []}, said.fetch("allowed_mentions"))
    assert_operator said.fetch("content").size, :<=, 2000
  end

  def test_pagerduty_resolves_what_is_over
    began = body(:pagerduty, key: "k")
    assert_equal %w[k trigger holdup\ stall], began.values_at("routing_key", "event_action", "dedup_key")
    assert_equal "Waits for the GVL: A <@here> & *b* waited.", began.dig("payload", "summary")
    over = body(:pagerduty, MESSAGE.with(state: :over, link: nil), key: "k")
    assert_equal %w[resolve holdup\ stall], over.values_at("event_action", "dedup_key")
    refute over.key?("links")
  end
end
