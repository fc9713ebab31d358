# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::Report::JsonTest < Minitest::Test
  Finding = Holdup::Doctor::Checks::CheckResult

  def process(setting)
    Holdup::Doctor::Checks::Host::HostProcess.new(
      pid: 7,
      alive: true,
      closed: false,
      heartbeat_ns: 1_700_000_000_500_000_000,
      setting:,
      counters: {},
      requests: 3,
      queued: 0,
      worker: 1,
      profile: {"server" => "puma", "jit.at" => "process"},
      gauges: {jit_enabled_ns: 1_700_000_000_000_000_000, jit_code_bytes: 5, jit_alloc_bytes: 15}
    )
  end

  def json(findings, *processes)
    JSON.parse(Holdup::Doctor::Report::Json.new(findings, processes:).call)
  end

  def test_findings
    found = json([Finding.ok(:ruby, ruby: "ruby 3.4\e[1m"), Finding.fail(:collector_none)])
    assert_equal [1, 1], found.values_at("schema", "failed")
    fine, broken = found["findings"]
    assert_equal ["ok", "ruby", nil], fine.values_at("level", "key", "fix")
    refute_includes fine["text"] + fine["facts"]["ruby"], "\e"
    assert_match(/holdup collect/, broken["fix"])
  end

  def test_processes_and_their_jit
    document = json([], process({"jit" => "yjit", "jit_by" => "holdup"}))["processes"].first
    assert_equal [7, 1, "puma", true, 3, "2023-11-14T22:13:20Z"],
      document.values_at("pid", "worker", "server", "alive", "requests", "heartbeat")
    assert_equal [true, "yjit", "holdup", "process", "2023-11-14T22:13:20Z", nil, 26],
      document["jit"].values_at("on", "kind", "by", "at", "since", "warm_since", "memory_bytes")
    assert_equal [false, nil],
      json([], process({"jit" => "off"}))["processes"].first["jit"].values_at("on", "kind")
    assert_nil json([], process({}))["processes"].first["jit"]
  end

  def test_what_ends_them
    killed = process({}).with(profile: {"killer.name" => "sidekiqswarm", "killer.limit_bytes" => 5})
    assert_equal [{"name" => "sidekiqswarm", "limit_bytes" => 5}, nil],
      json([], killed, process({}))["processes"].map { |one| one["killer"] }
  end
end
