# frozen_string_literal: true

require "test_helper"
require_relative "../small_server"
require "holdup/loader"
require "support/fake_program"

class Holdup::Lab::LoadTool::HeyTest < Minitest::Test
  include FakeProgram
  include TemporaryFolder

  SAID = <<~TEXT

    Summary:
      Total:	2.0369 secs
      Slowest:	0.0795 secs
      Fastest:	0.0003 secs
      Average:	0.0087 secs
      Requests/sec:	36.6475


    Response time histogram:
      0.000 [1]	|■■

    Latency distribution:
      50%% in 0.0081 secs
      95%% in 0.0160 secs
      0%% in 0.0000 secs

    Details (average, fastest, slowest):
      DNS+dialup:	0.0014 secs, 0.0003 secs, 0.0795 secs

    Status code distribution:
      [200]	33 responses
      [503]	5 responses

    Error distribution:
      [3]	Get "http://127.0.0.1/": EOF
      [1]	Get "http://127.0.0.1/": connection reset by peer
      [1]	Get "http://127.0.0.1/": context deadline exceeded
  TEXT

  def teardown
    @server&.close
    super
  end

  def call(hey, rate: 3, seconds: 1.2)
    @server = SmallServer.new { SmallServer.ok.sub("\r\n\r\n", "\r\nConnection: close\r\n\r\n") }
    hey.call(Holdup::Lab::Load::Target.new(@server.url),
      routes: [Holdup::Lab::Route.new(label: "/a", path: "/a", verb: "POST")], rate:, seconds:)
  end

  def test_reads_what_hey_tells
    seen = call(Holdup::Lab::LoadTool::Hey.new(fake_program("hey", SAID)))
    assert_equal [43, 38, 10, 5, 2.0369],
      [seen.total.count, seen.total.answered, seen.total.unexpected, seen.total.lost, seen.seconds]
    assert_equal [8_100_000, 16_000_000, 79_500_000, 8_700_000],
      [seen.total.p50_ns, seen.total.p95_ns, seen.total.p99_ns, seen.mean_ns]
    assert_equal %W[-z 2s -c 3 -t 20 -m POST -disable-redirects #{@server.url}/a], arguments_of("hey")
  end

  def test_says_what_it_can_not_read_or_send
    assert_match(/what hey reports can't be read/,
      assert_raises(Holdup::Error) {
        call(Holdup::Lab::LoadTool::Hey.new(fake_program("hey", "Summary:")))
      }.message)
    assert_match(/one address only/, Holdup::Lab::LoadTool::Hey.refusal([1, 2]))
    assert_nil Holdup::Lab::LoadTool::Hey.refusal([1])
  end

  def test_a_real_hey
    seen = call(Holdup::Lab::LoadTool::Hey.find(ENV.fetch("PATH")), seconds: 1)
    assert_equal "POST /a", @server.heads.pop[/\A\S+ \S+/]
    assert_operator seen.total.count, :>, 0
    assert_equal [0, 0, :closed], [seen.total.lost, seen.total.unexpected, Holdup::Lab::LoadTool::Hey::KIND]
  end
end
