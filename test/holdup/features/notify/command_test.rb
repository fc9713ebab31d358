# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "../lab/small_server"

class Holdup::Notify::CommandTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  NOW_S = SampleWindows::START_S + 180

  def setup
    @servers = []
  end

  def teardown
    @servers.each(&:close)
    super
  end

  def server(status)
    one = SmallServer.new { "HTTP/1.1 #{status} X\r\nContent-Length: 0\r\n\r\n" }
    @servers << one
    "#{one.url}/T1/secret"
  end

  def notify(*arguments, setting: nil, env: {}, now_s: NOW_S)
    given = {"HOLDUP_DIR" => folder, "HOLDUP_STORE" => path, "HOLDUP_NOTIFY" => setting}.compact
    holdup("notify", *arguments, env: {**given, **env}, now_s:)
  end

  def path = File.join(folder, "a.sqlite3")

  def record
    store = Holdup::Store.open(path)
    store.commit(SampleWindows.new.stored, {})
  ensure
    store&.close
  end

  def test_says_that_nobody_is_told
    record
    said = notify
    assert_equal 0, said.status
    assert_match(/No message is sent, because no channel is set/, said.out)
    assert_match(/No message was sent in the last 90 days/, said.out)
    assert_match(/通知先が設定されていない/, notify("--lang", "ja").out)
  end

  def test_names_rules_and_channels_but_no_address
    record
    [%w[], %w[--json]].each do |arguments|
      said = notify(*arguments, setting: "slack=#{server(200)},log=on,rules=stall deaths,quiet=22:00-07:00")
      assert_equal 0, said.status
      refute_match(/secret|127\.0\.0\.1/, said.out)
    end
    said = notify(setting: "slack=#{server(200)},log=on,rules=stall deaths,quiet=22:00-07:00")
    flat = said.out.gsub(/\s+/, " ")
    assert_includes flat, "Told by Slack, log: Waits for the GVL, Processes died."
    assert_includes flat, "for 25.0 % of their elapsed time. Nothing is sent from 22:00-07:00."
  end

  def test_a_test_goes_to_each_channel
    said = notify("--test", setting: "slack=#{server(200)},log=on")
    assert_equal 0, said.status
    assert_equal "Slack: sent; the answer was 200.\nlog: sent.\nTest of Holdup's notices: " \
      "This channel works. Nothing has happened. | holdup notify\n", said.out
  end

  def test_a_test_that_fails_says_why_without_the_address
    said = notify("--test", setting: "slack=#{server(302)},discord=#{server(404)},log=on")
    assert_equal 1, said.status
    assert_match(/^Slack: not sent; the answer was a redirect \(302\), which is not followed/, said.out)
    assert_match(/^Discord: not taken; the answer was 404\.$/, said.out)
    assert_match(/^log: sent\.$/, said.out)
    refute_match(/secret|127\.0\.0\.1/, said.out + said.err)
  end

  def test_a_test_needs_a_channel
    said = notify("--test")
    assert_equal 2, said.status
    assert_match(/nobody is told, because no channel is set/, said.err)
    assert_equal 2, notify("--test", "--send", setting: "log=on").status
  end

  def test_sends_what_is_due_and_shows_it_afterwards
    record
    setting = "slack=#{server(200)},log=on,stall=0.1"
    sent = JSON.parse(notify("--send", setting:).out)
    assert_equal [2, []], sent.values_at("sent", "failures")
    assert_match(/\AWaits for the GVL: Requests and jobs waited/, sent.fetch("lines").first)
    said = notify(setting:).out.gsub(/\s+/, " ")
    assert_match(/Requests and jobs waited for the GVL for \d+\.\d % of/, said)
    assert_match(/Waits for the GVL: Slack: sent; the answer was 200\./, said)
  end

  def test_says_what_failed_and_waits_for_another_attempt
    record
    setting = "slack=#{server(500)},stall=0.1"
    sent = JSON.parse(notify("--send", setting:).out)
    assert_equal ["Slack: not taken; the answer was 500."], sent.fetch("failures")
    assert_match(/1 message waits for another attempt/, notify(setting:).out)
    facts = JSON.parse(notify("--json", setting:).out)
    assert_equal [1, "stall", "began"], [facts["waiting"], *facts["notices"].first.values_at("rule", "state")]
  end

  def test_a_store_that_can_not_be_read_is_said
    said = notify(setting: "log=on")
    assert_equal 0, said.status
    assert_match(/The store can't be read/, said.out)
    facts = JSON.parse(notify("--json", setting: "log=on").out)
    assert_nil facts.fetch("notices")
  end

  def record_week
    store = Holdup::Store.open(path)
    store.commit([*SampleWindows.new.stored, *SampleWindows.new(kind: :job, queue: "low").stored], {})
  ensure
    store&.close
  end

  def test_prints_the_digest_of_the_week
    record_week
    said = notify("--digest")
    assert_equal 0, said.status
    flat = said.out.gsub(/\s+/, " ")
    assert_match(/\AHoldup: the last seven days /, flat)
    assert_match(/2,220 requests: p95 .* 2,220 jobs: p95 .* Nothing was recorded in the week before/, flat)
    assert_match(/ReportsController#sales caused \d/, flat)
    assert_match(/過去 7 日間.*リクエスト 2,220 件/m, notify("--digest", "--lang", "ja").out)
  end

  def test_the_digest_is_a_file_to_mail
    record_week
    file = File.join(folder, "digest.html")
    assert_equal 0, notify("--digest", "--html", "--out", file).status
    html = File.read(file)
    assert_match(/<h2>Who caused it/, html)
    assert_operator html.bytesize, :<, 60_000
  end

  def test_sends_the_digest_now_to_each_channel
    record_week
    said = notify("--digest", "--send", setting: "slack=#{server(200)},log=on")
    assert_equal 0, said.status
    assert_match(/\ASlack: sent; the answer was 200\.\nlog: sent\.\nHoldup: the last seven days: /, said.out)
    assert_equal 1, notify("--digest", "--send", setting: "slack=#{server(500)}").status
  end

  def test_a_digest_needs_figures
    assert_equal 2, notify("--digest", "--json").status
    assert_equal 2, notify("--digest", "--test", setting: "log=on").status
    store = Holdup::Store.open(path)
    store.commit([], {})
    store.close
    said = notify("--digest")
    assert_match(/nothing was recorded in the last seven days/, said.err)
  end
end
