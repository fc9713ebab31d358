# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/fake_program"

class Holdup::Lab::LoadTool::OhaTest < Minitest::Test
  include FakeProgram
  include TemporaryFolder

  # The keys of oha's documented JSON that are read, and a few that are not.
  SAID = JSON.generate(
    summary: {
      successRate: 0.99,
      total: 2.5,
      slowest: 0.09,
      fastest: 0.001,
      average: 0.0125,
      requestsPerSec: 40.4,
      totalData: 200,
      sizePerRequest: 2,
      sizePerSec: 80.0
    },
    responseTimeHistogram: {"0.001" => 100},
    latencyPercentiles: {
      "p10" => 0.001,
      "p25" => 0.002,
      "p50" => 0.01,
      "p75" => 0.02,
      "p90" => 0.03,
      "p95" => 0.04,
      "p99" => 0.05,
      "p99.9" => 0.06,
      "p99.99" => 0.07
    },
    rps: {mean: 40.0}, details: {}, statusCodeDistribution: {"200" => 95, "302" => 3, "404" => 1, "503" => 1},
    errorDistribution: {"aborted due to deadline" => 2, "connection closed before message completed" => 1}
  )

  def route(path, weight = 1, verb: "GET")
    Holdup::Lab::Route.new(label: path, path:, verb:, weight:)
  end

  def call(says, routes: [route("/a", 9), route("/b")])
    Holdup::Lab::LoadTool::Oha.new(fake_program("oha", says)).call(
      Holdup::Lab::Load::Target.new("http://127.0.0.1:9"),
      routes:,
      rate: 40.0,
      seconds: 2
    )
  end

  def test_reads_what_oha_tells
    seen = call(SAID)
    assert_equal [101, 100, 3, 1, 40.0],
      [seen.total.count, seen.total.answered, seen.total.unexpected, seen.total.lost, seen.throughput]
    assert_equal [10_000_000, 40_000_000, 50_000_000, 12_500_000],
      [seen.total.p50_ns, seen.total.p95_ns, seen.total.p99_ns, seen.mean_ns]
  end

  def test_asks_at_a_rate_with_latencies_from_when_each_was_due
    call(SAID)
    *options, list = arguments_of("oha")
    assert_equal %w[--no-tui --output-format json --latency-correction -q 40.0 -z 2s -c 128 -m GET
      --redirect 0 --urls-from-file],
      options
    refute_path_exists list
    assert_equal :paced, Holdup::Lab::LoadTool::Oha::KIND
  end

  def test_a_path_has_as_many_lines_as_it_has_weight
    target = Holdup::Lab::Load::Target.new("http://127.0.0.1:9")
    routes = [route("/a", 9), route("/b")]
    Holdup::Lab::LoadTool::Oha.new("/oha").send(:with_list, target, routes) do |list|
      assert_equal({"http://127.0.0.1:9/a" => 900, "http://127.0.0.1:9/b" => 100},
        File.readlines(list, chomp: true).tally)
    end
  end

  def test_says_what_it_can_not_read_or_send
    ["oops", "{}", SAID.sub(/"p99":0.05,/, "")].each { |said|
      assert_match(/what oha reports can't be read/, assert_raises(Holdup::Error) { call(said) }.message)
    }
    assert_match(
      /one kind of request/,
      Holdup::Lab::LoadTool::Oha.refusal([route("/a"), route("/b", verb: "POST")])
    )
  end
end
