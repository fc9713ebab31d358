# frozen_string_literal: true

require "test_helper"
require_relative "../../benchmark/support/open/compared"
require_relative "../../benchmark/support/open/experiment"
require_relative "../support/example_units"

# The loads of bin/bench predict-open, and what becomes of its measurements.
class BenchOpenTest < Minitest::Test
  ROUTES = [Holdup::Lab::Route.new(label: "page", path: "/page", weight: 3),
    Holdup::Lab::Route.new(label: "report", path: "/report", weight: 1)].freeze
  NS = 1_000_000_000
  START_NS = ExampleUnits::START_S * NS
  KEPT = Bench::OpenPattern.new(arrivals: :poisson, kept: true)
  EACH = Bench::OpenPattern.new(arrivals: :poisson, kept: false)

  def test_page_loads_have_the_rate_and_the_mix
    due = bursts(rate: 60, seconds: 100)
    assert_in_delta 6_000, due.size, 900
    assert_in_delta 0.75, due.count { |arrival| arrival.route.label == "page" }.fdiv(due.size), 0.05
  end

  def test_page_loads_are_in_order_and_come_close_together
    times = bursts(rate: 6, seconds: 200).map(&:at_ns)
    assert_equal times.sort, times
    near = times.each_cons(2).count { |before, after| after - before <= Bench::PageLoads::WITHIN_NS }
    assert_operator near, :>, 0.7 * times.size
  end

  def test_the_same_seed_sends_the_same_page_loads
    assert_equal bursts(seed: 1), bursts(seed: 1)
    refute_equal bursts(seed: 1), bursts(seed: 2)
  end

  def test_a_kept_connection_takes_many_requests
    seen, connections = answered(KEPT, close: false)
    assert_equal 0, seen.total.unexpected
    assert_operator connections, :<=, Bench::KeptLoad::CONNECTIONS
    assert_operator seen.total.count, :>, 2 * connections
  end

  def test_a_connection_that_the_server_closes_is_opened_anew
    seen, connections = answered(KEPT, close: true)
    assert_equal 0, seen.total.unexpected
    assert_equal seen.total.count, connections
  end

  def test_without_kept_connections_each_request_has_its_own
    seen, connections = answered(EACH, close: false)
    assert_equal 0, seen.total.unexpected
    assert_equal seen.total.count, connections
  end

  def test_requests_that_connections_have_to_wait_for_are_sent_later
    due = EACH.due(routes: ROUTES, rate: 1_000, seconds: 0.2, seed: 1)
    with_server(close: false) do |target, connections|
      outcomes = Bench::KeptLoad.new(target:, arrivals: due.dup, connections: 1).run
      assert_equal due.size, outcomes.each_value.sum(&:answered)
      assert_equal 1, connections.size
    end
  end

  def test_errors_are_of_the_prediction_against_what_was_measured
    turn = Bench::ComparedShape::ComparedTurn.new(server: 1, pattern: EACH, round: 0, rate: 10.0,
      measured: {0.95 => 200}, predicted: {0.95 => 210.0}, held_ns: 5.0, speed: 1.0,
      beside: 0.1)
    assert_in_delta 5.0, turn.error(0.95)
  end

  # Two parts of ten seconds, five minutes apart.
  def test_parts_of_a_recording_follow_each_other
    parts = [0, 300].map { |at_s| part(at_s) }
    joined = Bench::OpenServer::OpenRecording.joined(parts)
    assert_equal [0, 9], joined.unit_samples.map { |unit| (unit.start_ns - START_NS) / NS }.minmax
    assert_equal [ExampleUnits::START_S] * 2, joined.windows.map(&:start_s)
    assert_equal 20, joined.seconds
    assert_in_delta 10.0, joined.span.end - joined.span.begin, 1e-3
    assert_in_delta 0.2, joined.beside
  end

  def test_each_pattern_of_each_round_has_a_part_of_the_recording
    plan = Bench::OpenExperiment::OpenPlan.new(settings: [[1, 5]], patterns: [KEPT, EACH], warm_up_s: 1,
      recorded_s: 60, turn_s: 10, rounds: 2)
    assert_equal 5, plan.parts
    assert_in_delta 12.0, plan.part_s
  end

  private

  # Units of each of five seconds. The other load between the parts is in neither.
  def part(at_s)
    units = Array.new(5) { |second| ExampleUnits.unit_sample((at_s + second) * 1000) }
    series = units.first.series
    window = Holdup::Window.empty(series:, setting: ExampleUnits::SETTING, host: "a", seconds: 60,
      start_s: ExampleUnits::START_S + at_s)
    from_s = ExampleUnits::START_S + at_s
    Bench::OpenServer::OpenRecording.new(windows: [window], unit_samples: units, samples: [], rate: 1.0,
      seconds: 10, span: from_s..(from_s + 5), beside: at_s.zero? ? 0.1 : 0.3, idle_beside: 0.0)
  end

  def bursts(rate: 60, seconds: 10, seed: 3)
    Bench::OpenPattern.new(arrivals: :bursts, kept: false).due(routes: ROUTES, rate:, seconds:, seed:)
  end

  # @return [(Seen, Integer)] what the client saw, and how many connections the server accepted
  def answered(pattern, close:)
    with_server(close:) do |target, connections|
      seen = pattern.call(target, routes: ROUTES, rate: 300, seconds: 0.5)
      return [seen, connections.size]
    end
  end

  # A server that answers every request of each connection.
  def with_server(close:)
    server = TCPServer.new("127.0.0.1", 0)
    connections = Queue.new
    acceptor = Thread.new do
      loop do
        connections << Thread.new(server.accept) { |socket| answer_all(socket, close) }
      end
    end
    yield Holdup::Lab::Load::Target.new("http://127.0.0.1:#{server.addr[1]}"), connections
  ensure
    acceptor&.kill&.join
    connections&.pop&.kill until connections.nil? || connections.empty?
    server&.close
  end

  # As HTTP has it, it closes also where the client asks for it.
  def answer_all(socket, close)
    header = close ? "Connection: close\r\n" : ""
    until (head = socket.gets("\r\n\r\n")).nil?
      socket.write("HTTP/1.1 200 OK\r\n#{header}Content-Length: 2\r\n\r\nok")
      return if close || head.include?("connection: close")
    end
  rescue SystemCallError
    nil
  ensure
    socket.close
  end
end
