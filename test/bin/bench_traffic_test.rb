# frozen_string_literal: true

require "test_helper"
require_relative "../../benchmark/support/tracker/changing_arrivals"
require_relative "../../benchmark/support/tracker/pages"

# The requests that bin/bench sends to benchmark/database_app.
class BenchTrafficTest < Minitest::Test
  ROUTES = Bench::TrackerPages::ALL

  def test_each_pass_through_a_deck_has_the_exact_shares
    deck = Bench::PageDeck.new(ROUTES, random: Random.new(1))
    weights = ROUTES.to_h { |route| [route.label, route.weight] }
    3.times do
      labels = Array.new(weights.values.sum) { deck.draw.first.label }
      assert_equal weights, labels.tally.sort_by { |label, _| weights.keys.index(label) }.to_h
    end
  end

  def test_the_order_of_a_deck_changes_from_pass_to_pass
    deck = Bench::PageDeck.new(ROUTES, random: Random.new(1))
    first, second = Array.new(2) { Array.new(20) { deck.draw.first.label } }
    refute_equal first, second
  end

  def test_paths_are_complete
    deck = Bench::PageDeck.new(ROUTES, random: Random.new(1))
    paths = Array.new(40) { deck.draw.last }
    assert_empty paths.grep_v(%r{\A/[a-z]+(/\w+|\?\w+=\d+)?\z})
  end

  def test_the_weights_are_shares_of_twenty_requests
    assert_equal 20, ROUTES.sum(&:weight)
  end

  def test_a_steady_rate_is_kept
    arrivals = Bench::ChangingArrivals.steady(ROUTES, rate: 50, seconds: 200, seed: 3)
    assert_in_delta 10_000, arrivals.count, 300
  end

  def test_a_day_is_slow_at_its_ends_and_busy_in_its_middle
    arrivals = day.map { |arrival| arrival.at_ns / 20_000_000_000 }.tally
    tenths = arrivals.transform_values { |count| count / 20.0 }
    assert_in_delta 12.0, tenths[0], 3
    assert_in_delta 88.3, tenths[4], 7
    assert_in_delta 88.3, tenths[5], 7
    assert_in_delta 12.0, tenths[9], 3
  end

  def test_the_mean_of_a_day_is_between_its_ends
    assert_in_delta 50.0, day.count / 200.0, 2
  end

  def test_arrivals_are_in_order_and_end_in_time
    times = day.map(&:at_ns)
    assert_equal times.sort, times
    assert_operator times.last, :<, 200_000_000_000
  end

  def test_the_same_seed_sends_the_same_requests
    assert_equal day.map(&:path), day.map(&:path)
    refute_equal day.map(&:path), day(seed: 4).map(&:path)
  end

  private

  def day(seed: 3)
    Bench::ChangingArrivals.day(ROUTES, least: 10, most: 90, seconds: 200, seed:)
  end
end
