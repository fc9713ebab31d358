# frozen_string_literal: true

require "test_helper"
require "json"
require_relative "../small_server"
require "holdup/loader"
require "support/fake_program"

class Holdup::Lab::LoadTool::WrkTest < Minitest::Test
  include FakeProgram
  include TemporaryFolder

  def teardown
    @server&.close
    super
  end

  def wrk(says = nil, status: 0)
    return Holdup::Lab::LoadTool::Wrk.find(ENV.fetch("PATH")) unless says
    Holdup::Lab::LoadTool::Wrk.new(fake_program("wrk", says, status:))
  end

  def call(wrk, *paths)
    @server = SmallServer.new { |head|
      head.to_s.include?("/broken") ? SmallServer.ok.sub("200 OK", "503 Busy") : SmallServer.ok
    }
    routes = paths.map { |path| Holdup::Lab::Route.new(label: path, path:, verb: "POST") }
    wrk.call(Holdup::Lab::Load::Target.new(@server.url), routes:, rate: 2, seconds: 0.5)
  end

  def test_reads_what_wrk_tells
    seen = call(
      wrk("Running 1s\n" + JSON.generate(requests: 100, seconds: 2.0, failed: 3, lost: 1, mean_us: 15,
        p50_us: 10, p95_us: 20, p99_us: 30)),
      "/"
    )
    assert_equal [101, 100, 4, 1, 50.0, 20_000, 15_000],
      [seen.total.count, seen.total.answered, seen.total.unexpected, seen.total.lost, seen.throughput,
        seen.total.p95_ns, seen.mean_ns]
    assert_equal :closed, wrk("").kind
  end

  def test_says_what_went_wrong
    assert_match(/wrk failed .*; it said: unable to connect/,
      assert_raises(Holdup::Error) { call(wrk("unable to connect", status: 1), "/") }.message)
    assert_match(/wrk is not installed on this machine; install it .* or leave out --load-tool/,
      assert_raises(Holdup::UnsupportedError) { Holdup::Lab::LoadTool::Wrk.find("#{folder}/none") }.message)
  end

  def test_a_real_wrk_asks_for_all_paths
    seen = call(wrk, "/a", "/broken")
    heads = Array.new(@server.heads.size) { @server.heads.pop }.compact # a connection may end without a word
    assert_equal ["POST /a", "POST /broken"], heads.map { |head| head[/\A\S+ \S+/] }.uniq.sort
    assert_operator seen.total.unexpected, :>, 0
    assert_operator seen.total.count, :>, seen.total.unexpected
  end
end
