# frozen_string_literal: true

require "test_helper"
require_relative "small_server"
require "holdup/loader"

class Holdup::Lab::LoadTest < Minitest::Test
  def teardown = @server&.close

  def serve(&answer) = @server = SmallServer.new(&answer)

  def route(label = "a", **options)
    Holdup::Lab::Route.new(label:, path: "/#{label}", **options)
  end

  def arrivals(at_seconds, route: self.route)
    at_seconds.map { |at|
      Holdup::Lab::Load::Arrivals::Arrival.new(
        at_ns: (at * 1e9).round,
        route:,
        path: route.path
      )
    }
  end

  def load(arrivals, **options)
    Holdup::Lab::Load.new(target: Holdup::Lab::Load::Target.new(@server.url), arrivals:, **options).run
  end

  def test_every_request_is_sent_once_and_counted_under_its_route
    serve { |head| head.include?("/b") ? SmallServer.ok.sub("200 OK", "503 Busy") : SmallServer.ok }
    mix = Holdup::Lab::Load::Arrivals.new(routes: [route("a"), route("b", expected: [503])], rate: 400,
      seconds: 0.5, seed: 3)
    outcomes = load(mix)
    assert_equal mix.map { |arrival| arrival.route.label }.tally, outcomes.transform_values(&:count)
    assert_equal mix.count, @server.heads.size
    assert_equal [0, outcomes["b"].count], %w[a b].map { |label| outcomes[label].errors }
    assert_equal [0, 0], outcomes.values.map(&:unexpected)
  end

  def test_does_not_wait_for_slow_answers_before_sending_the_next
    gate = Queue.new
    serve { gate.pop && SmallServer.ok }
    releaser = Thread.new { wait_until { @server.heads.size == 5 } && 5.times { gate << true } }
    outcome = load(arrivals([0, 0.01, 0.02, 0.03, 0.04])).fetch("a")
    releaser.join
    assert_equal [5, 0], [outcome.count, outcome.lost]
  end

  # With one connection the second waits for the first, and that wait is part of its latency.
  def test_latency_counts_from_when_a_request_was_due
    serve { IO.select(nil, nil, nil, 0.2) || SmallServer.ok }
    outcome = load(arrivals([0, 0]), connections: 1).fetch("a")
    assert_operator outcome.p50_ns, :>=, 200_000_000
    assert_operator outcome.p99_ns, :>=, 400_000_000
  end

  # A fast server has answered all before the planned seconds end, which may be a whole number.
  def test_throughput_over_whole_seconds_is_not_rounded_down
    total = Holdup::Lab::Exchange::Outcome.new(label: "all", count: 30, errors: 0, lost: 0, unexpected: 0,
      p50_ns: 1, p95_ns: 1, p99_ns: 1)
    seen = Holdup::Lab::Load::OpenLoop::Seen.new(total:, routes: {}, seconds: 20)
    assert_in_delta 1.5, seen.throughput
  end

  # The second is sent when the first is done, 200 ms late at least: the server counts them as time in the
  # queue.
  def test_sends_the_time_at_which_a_request_was_due
    serve { IO.select(nil, nil, nil, 0.2) || SmallServer.ok }
    load(arrivals([0, 0.01]), connections: 1)
    first, second = Array.new(2) { @server.heads.pop[/^x-request-start: t=(\d+)/, 1].to_i }
    assert_equal 10_000, second - first
  end

  def test_is_bounded_in_time
    serve { Thread.stop }
    outcome = load(arrivals([0]), patience_s: 0.2).fetch("a")
    assert_equal [1, 1, 0], [outcome.count, outcome.lost, outcome.answered]
    assert_operator outcome.p50_ns, :>=, 200_000_000
  end

  def test_a_server_that_is_gone_is_counted_not_raised
    serve { SmallServer.ok }
    target = Holdup::Lab::Load::Target.new(@server.url)
    @server.close
    @server = nil
    outcome = Holdup::Lab::Load.new(target:, arrivals: arrivals([0, 0.01, 0.02])).run.fetch("a")
    assert_equal [3, 3], [outcome.count, outcome.lost]
  end

  def test_tells_how_far_it_is
    serve { SmallServer.ok }
    states = []
    load(arrivals([0, 0.3, 0.6]), progress: states.method(:<<))
    refute_empty states
    assert_equal states.map(&:done).sort, states.map(&:done)
    assert_operator states.last.elapsed_s, :>, 0.25
  end

  def test_has_no_outcome_without_requests
    serve { SmallServer.ok }
    assert_empty load([])
  end
end

class Holdup::Lab::ArrivalsTest < Minitest::Test
  def arrivals(seed: 1, rate: 100, seconds: 100)
    routes = [Holdup::Lab::Route.new(label: "often", path: "/often", weight: 3),
      Holdup::Lab::Route.new(label: "rare", path: "/rare")]
    Holdup::Lab::Load::Arrivals.new(routes:, rate:, seconds:, seed:).to_a
  end

  def test_come_in_order_within_the_time
    times = arrivals.map(&:at_ns)
    assert_equal times.sort, times
    assert_operator times.last, :<, 100_000_000_000
    assert_operator times.first, :>=, 0
  end

  # A Poisson process: as many as the rate says (10,000 with a standard deviation of 100), with gaps whose
  # standard deviation is their mean. Evenly spaced arrivals would have none and so never queue.
  def test_are_a_poisson_process
    times = arrivals.map(&:at_ns)
    assert_in_delta 10_000, times.size, 400
    gaps = times.each_cons(2).map { |a, b| (b - a) / 1e9 }
    mean = gaps.sum / gaps.size
    deviation = Math.sqrt(gaps.sum { |gap| (gap - mean)**2 } / gaps.size)
    assert_in_delta 1.0, deviation / mean, 0.05
  end

  def test_mix_routes_by_weight
    shares = arrivals.map { |arrival| arrival.route.label }.tally
    assert_in_delta 0.75, shares["often"].fdiv(shares.values.sum), 0.02
  end

  def test_are_the_same_for_the_same_seed_only
    assert_equal arrivals(seed: 5), arrivals(seed: 5)
    refute_equal arrivals(seed: 5), arrivals(seed: 6)
  end
end
