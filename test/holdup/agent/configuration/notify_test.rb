# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

class Holdup::ConfigurationKeys::NotifyTest < Minitest::Test
  HOOK = "https://hooks.example/T1/secret"
  Plan = Holdup::ConfigurationKeys::NotifyPlan

  def plan(value = nil, **env)
    env = env.transform_keys(&:to_s)
    Holdup::Configuration.build(env:) { |config| config.notify = value }.notify_plan
  end

  def test_is_off_without_a_channel
    assert_nil plan
    assert_nil plan(:off)
    assert_nil plan({slack: HOOK}, HOLDUP_NOTIFY: "off")
    assert_nil plan({log: false})
  end

  def test_has_every_rule_unless_some_are_named
    assert_equal Plan::RULES, plan({slack: HOOK}).rules
    assert_equal %i[deaths stall], plan({slack: HOOK, rules: %i[deaths stall]}).rules
    assert_equal({slack: HOOK}, plan({slack: HOOK}).channels)
  end

  def test_reads_the_environment
    read = plan(HOLDUP_NOTIFY: "slack=#{HOOK},command=/bin/page,log=on,stall=0.3,rules=stall deaths," \
      "quiet=22:00-07:00")
    assert_equal({slack: HOOK, command: "/bin/page", log: true}, read.channels)
    assert_equal [0.3, %i[stall deaths], "22:00-07:00"], [read.stall, read.rules, read.quiet]
  end

  def test_the_digest_has_a_day_and_an_hour
    assert_equal "monday 09:00", plan({slack: HOOK}).digest
    assert_equal "friday 17:30", plan(HOLDUP_NOTIFY: "slack=#{HOOK},digest=friday 17:30").digest
  end

  def test_a_collector_gets_all_of_it
    given = plan({pagerduty: "https://events.example/v2/enqueue#key=1", log: true, quiet: "00:00-23:59"})
    assert_equal given, plan(HOLDUP_NOTIFY: given.to_s)
    config = Holdup::Configuration.build do |draft|
      draft.notify = {slack: HOOK}
      draft.web_url = "https://shop.example/holdup"
    end
    assert_equal [config.notify_plan.to_s, "https://shop.example/holdup"],
      config.of_collector.values_at("HOLDUP_NOTIFY", "HOLDUP_WEB_URL")
  end

  def test_refuses_what_it_does_not_know_and_never_repeats_an_address
    ["slack=ftp://x", "slack", "sms=#{HOOK}", "stall=0.3", "slack=#{HOOK},stall=2", "command=page",
      "slack=#{HOOK},quiet=25:00-07:00", "slack=#{HOOK},rules=weather", "slack=#{HOOK},digest=9:00",
      "slack=#{HOOK},digest=someday 09:00"].each do |text|
      error = assert_raises(Holdup::ConfigurationError, text) { plan(HOLDUP_NOTIFY: text) }
      refute_includes error.message, HOOK
    end
    assert_raises(Holdup::ConfigurationError) { plan("slack") }
  end

  BLOCK = ->(message) { message }

  def in_app(collector, **channels)
    Holdup::Configuration.build do |config|
      config.collector = collector
      config.notify = channels
    end
  end

  def test_code_of_the_application_is_only_for_a_collector_in_its_thread
    assert_equal({rails_error: true, block: BLOCK},
      in_app(:thread, rails_error: true, block: BLOCK).notify_plan.channels)
    %i[process off].each do |collector|
      error = assert_raises(Holdup::ConfigurationError) { in_app(collector, log: true, block: BLOCK) }
      assert_includes error.message,
        "collector can't be :#{collector}; give :thread for block of config.notify"
    end
    assert_equal %i[slack], in_app(:process, slack: HOOK, rails_error: false).notify_plan.channels.keys
    assert_raises(Holdup::ConfigurationError) { in_app(:thread, block: "puts") }
  end

  def test_a_collector_in_a_process_gets_what_it_can_do
    config = in_app(:thread, block: BLOCK, log: true)
    assert_equal Plan.new(channels: {log: true}).to_s, config.of_collector["HOLDUP_NOTIFY"]
    refute_includes in_app(:thread, block: BLOCK).of_collector, "HOLDUP_NOTIFY"
    read = plan(HOLDUP_NOTIFY: "rails_error=on", HOLDUP_COLLECTOR: "thread")
    assert_equal({rails_error: true}, read.channels)
  end

  def test_what_is_printed_by_accident_has_no_address
    refute_includes plan({slack: HOOK}).inspect, "secret"
  end

  def test_the_dashboard_has_a_url
    ["shop.example", "https://shop.example/?a=1"].each do |text|
      assert_raises(Holdup::ConfigurationError, text) do
        Holdup::Configuration.build(env: {"HOLDUP_WEB_URL" => text})
      end
    end
  end
end
