# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::WaitChainTest < Minitest::Test
  include ExampleUnits

  WaitChain = Holdup::Analysis::WaitChain
  Series = Holdup::Series
  PLACE = "app/models/sales_report.rb:30 SalesReport#rows"

  # @param ms [Hash{Symbol => Integer}] sums of histograms, in ms
  def window(kind, name, queue = nil, count: 1, pool_wait: 0, caused: 0, **ms)
    empty = Holdup::Window.empty(series: Series.new(kind:, name:, queue:), setting: SETTING, host: "a",
      start_s: START_S, seconds: 60)
    histograms = ms.to_h { |key, sum| [key, Holdup::Histogram.of_sum(sum * MS)] }
    empty.with(count:, histograms: {**empty.histograms, **histograms},
      sums: {**empty.sums, pool_wait_ns: pool_wait * MS, caused_ns: caused * MS})
  end

  def pair(waiter, holder, ms) = window(:pair, waiter, holder, stalled: ms)

  def pool_pair(waiter, holder, ms) = window(:pool_pair, waiter, holder, pool_wait: ms)

  def links(slow, *windows) = WaitChain.of(slow, windows).links

  def stalled(ms, *parts) = slow_unit(0, name: "Products#index", stalled_ns: ms * MS, parts:)

  def test_begins_with_what_the_unit_itself_waited_for_longest
    slow = stalled(240, [:pair, "Sales#report", 217 * MS], [:call, "sql primary", 30 * MS])
    link = links(slow, window(:method, "Sales#report", PLACE, caused: 9)).first
    assert_equal ["Products#index", :pair, 240 * MS, "Sales#report", 217 * MS],
      [link.waiter, link.kind, link.wait_ns, link.holder, link.held_ns]
    assert_equal "app/models/sales_report.rb:30", link.place.location
  end

  # Connection, its holder, and what that one waited for; means of its two jobs.
  def test_goes_on_with_what_each_holder_waited_for_in_that_minute
    slow = slow_unit(0, name: "Stock#show", idle_ns: 90 * MS, pool_wait_ns: 80 * MS,
      parts: [[:pool_pair, "ReplenishJob", 70 * MS]])
    found = links(slow, window(:job, "ReplenishJob", "q", count: 2, wall: 200, stalled: 150, pool_wait: 4),
      pair("ReplenishJob", "Sales#report", 120), pair("ReplenishJob", "Other#show", 30),
      window(:request, "Sales#report", count: 4, wall: 400, stalled: 4),
      window(:call, "Sales#report", "http a", idle: 360))
    expected = [[:pool_pair, 80, "ReplenishJob", 70], [:pair, 75, "Sales#report", 60],
      [:call, 90, "http a", 90]]
    assert_equal expected, found.map { |link| [link.kind, link.wait_ns / MS, link.holder, link.held_ns / MS] }
    assert_equal ["Stock#show", "ReplenishJob", "Sales#report"], found.map(&:waiter)
  end

  # Active Record's pool waits in a condition variable without a limit of time, too.
  def test_a_wait_for_a_lock_unless_it_was_for_a_connection
    lock = {lock_ns: 60 * MS, parts: [[:lock_pair, "PriceSync", 50 * MS]]}
    found = links(slow_unit(0, name: "Carts#update", idle_ns: 70 * MS, **lock))
    assert_equal [[:lock_pair, 60, "PriceSync", 50]],
      found.map { |link| [link.kind, link.wait_ns / MS, link.holder, link.held_ns / MS] }
    connection = links(slow_unit(0, idle_ns: 70 * MS, pool_wait_ns: 60 * MS, **lock))
    assert_equal :pool_pair, connection.first.kind
  end

  def test_ends_where_nobody_is_named
    [nil, "(unknown)"].each do |name|
      assert_equal [name], links(stalled(50, [:pair, name, 40 * MS])).map(&:holder)
    end
    assert_equal ["(unknown)"], links(stalled(50)).map(&:holder), "nobody knows"
  end

  def test_ends_where_a_name_would_come_twice
    windows = [window(:request, "A", wall: 100, stalled: 90), pair("A", "Products#index", 90),
      window(:request, "Products#index", wall: 100, stalled: 90), pair("Products#index", "A", 90)]
    assert_equal %w[A Products#index], links(stalled(50, [:pair, "A", 40 * MS]), *windows).map(&:holder)
  end

  def test_has_at_most_five_links
    windows = (1..9).flat_map do |number|
      [window(:request, "H#{number}", wall: 100, stalled: 90), pair("H#{number}", "H#{number + 1}", 90)]
    end
    assert_equal %w[H1 H2 H3 H4 H5], links(stalled(50, [:pair, "H1", 40 * MS]), *windows).map(&:holder)
  end

  def test_a_short_wait_explains_nothing
    refute_predicate WaitChain.of(stalled(2), []), :any?
    windows = [window(:request, "A", wall: 100, stalled: 9), pair("A", "B", 9)]
    assert_equal %w[A], links(stalled(50, [:pair, "A", 40 * MS]), *windows).map(&:holder)
  end
end
