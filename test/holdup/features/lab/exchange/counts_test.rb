# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Exchange::CountsTest < Minitest::Test
  def setup
    @tally = Holdup::Lab::Exchange::Counts.new
    @route = Holdup::Lab::Route.new(label: "a", path: "/a", expected: [200, 500])
  end

  def test_counts_errors_losses_and_surprises
    [200, 200, 500, 503, 404, nil].each { |status| @tally.add(@route, status, 1) }
    outcome = @tally.outcomes.fetch("a")
    assert_equal [6, 3, 1, 3, 5],
      [outcome.count, outcome.errors, outcome.lost, outcome.unexpected, outcome.answered]
    assert_equal 6, @tally.count
  end

  def test_latencies_in_any_order
    (1..100).to_a.shuffle(random: Random.new(1)).each { |ns| @tally.add(@route, 200, ns) }
    outcome = @tally.outcomes.fetch("a")
    assert_equal [50, 95, 99], [outcome.p50_ns, outcome.p95_ns, outcome.p99_ns]
  end

  def test_keeps_routes_apart
    @tally.add(@route, 200, 1)
    @tally.add(@route.with(label: "b"), 200, 1)
    assert_equal %w[a b], @tally.outcomes.keys
    assert_predicate @tally.outcomes, :frozen?
  end
end
