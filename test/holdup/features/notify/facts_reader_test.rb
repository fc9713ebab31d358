# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/example_deaths"

class Holdup::Notify::FactsReaderTest < Minitest::Test
  include ExampleDeaths

  # After the third minute of the sample.
  END_S = SampleWindows::START_S + 180

  def setup
    @store = Holdup::Store.open("memory:")
  end

  def teardown = @store.close

  def facts(now_s: END_S, slo: nil, quiet: nil)
    plan = Holdup::ConfigurationKeys::NotifyPlan.new(channels: {log: true}, quiet:)
    words = Holdup::View::Words.new("en")
    Holdup::Notify::FactsReader.new(@store, plan:, slo:, now_s:, words:).call
  end

  def record = @store.commit(SampleWindows.new.stored, {})

  def test_says_what_the_report_says
    record
    now = facts.now
    assert_equal 3 * 740, now.count
    assert_in_delta 0.25, now.stalled_share, 0.15
    assert_equal "ReportsController#sales", now.verdict[:cause]
    assert_includes now.text, "ReportsController#sales"
    assert_equal now, facts.hour
  end

  def test_an_empty_store_has_nothing
    found = facts(slo: "p95=300ms")
    assert_equal [0, "no_data"], [found.now.count, found.now.verdict[:key]]
    assert_nil found.promise
    assert_empty [*found.deaths, *found.changes, *found.silent_hosts, *found.told]
  end

  def test_reads_deaths_of_the_last_hour_and_of_the_quiet_hours
    now_s = NOW_NS / NS
    @store.commit([], {}, deaths: [hogged_death, death(ago_s: 5400, pid: 12)])
    found = facts(now_s:).deaths
    assert_equal 1, found.size
    assert_match(/4711 died: the kernel killed it/, found.first[:text])
    assert_equal 2, facts(now_s:, quiet: "22:00-07:00").deaths.size
  end

  def test_says_how_many_requests_break_the_promise
    record
    promise = facts(slo: "p95=100ms").promise
    assert_equal ["p95=100ms", 0.05, 3 * 740], [promise.slo, promise.budget, promise.count]
    assert_operator promise.lately, :>, 0.02
    assert_operator promise.lately, :<, 0.4
    assert_in_delta 0.0, facts(slo: "p95=60s").promise.lately
    assert_in_delta 1.0, facts(slo: "p95=1us").promise.hour, 0.001
  end

  def checkpoint(host, ago_s)
    at_ns = (END_S - ago_s) * NS
    checkpoint = Holdup::CollectorCheckpoint.new(host:, folder: "/dev/shm/x##{"0" * 16}", at_ns:, units: {})
    @store.commit([], {}, collector_checkpoint: checkpoint)
  end

  def sample(host, **rest)
    @store.commit([], {}, processes: [{at_s: END_S - 700, host:, pid: 7, start: 1, **rest}])
  end

  def test_a_host_is_silent_while_its_processes_have_not_ended
    {"late" => 600, "well" => 60, "off" => 600, "gone" => 7200}.each do |host, ago_s|
      checkpoint(host, ago_s)
      sample(host, **((host == "off") ? {ended: true} : {}))
    end
    assert_equal ["late"], facts.silent_hosts
  end

  def entry(source, event, who: :autopilot, from: 5, to: 3)
    Holdup::AuditEntry.new(source:, host: "a", pid: 1, at_s: END_S - 60, event:, plan_id: "k3f9",
      lever: "threads", from:, to:, who:, why: "p95 -20 %")
  end

  def test_reads_what_the_autopilot_did_once_for_all_processes
    others = [entry("c", :turn), entry("d", :ends, to: 5), entry("e", :kept, who: :operator)]
    @store.commit([], {}, audit: [entry("a", :kept), entry("b", :kept), *others])
    assert_equal [{at_s: END_S - 60, lever: "threads", from: 5, to: 3, why: "p95 -20 %"}], facts.changes
  end
end
