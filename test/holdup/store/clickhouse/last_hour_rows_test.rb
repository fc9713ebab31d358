# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# What it makes of a server's answers. What it asks: integration/clickhouse_store_test.rb.
class Holdup::Store::Clickhouse::LastHourRowsTest < Minitest::Test
  START = 1_790_000_040

  # Answers with rows, and commits of which all count.
  Answering = Data.define(:answer) do
    def rows(_question) = answer

    def call = self

    def counting(condition) = condition
  end

  def figures(at_s, host: "a")
    start_s = START + at_s
    total = Holdup::Window.empty(series: Holdup::RecentFigures::ALL, host:, start_s:, seconds: 10)
    Holdup::RecentFigures.new(host:, start_s:, length_ms: 10_000, total:, series: [], others: {}, held: {})
  end

  def rows(*answer)
    server = Answering.new(answer)
    Holdup::Store::Clickhouse::LastHourRows.new(server, commits: server)
  end

  def row(figures)
    rows.rows(figures).first.values_at(:start_s, :host, :packed).map(&:to_s)
  end

  def test_what_is_written_comes_back
    all = [figures(0), figures(0, host: "b"), figures(10)]
    assert_equal all, rows(*all.map { |one| row(one) }).between(START, START + 20, nil)
    assert_empty rows.rows(nil)
  end

  # Partitions go hour by hour.
  def test_what_is_older_than_the_ring_of_its_host_is_left_out
    all = [0, 10, 3_600, 3_610].map { |at_s| row(figures(at_s)) } + [row(figures(20, host: "b"))]
    found = rows(*all).between(0, 1 << 40, nil)
    assert_equal [[20, "b"], [3_600, "a"], [3_610, "a"]], found.map { |one| [one.start_s - START, one.host] }
  end

  def test_a_damaged_row_is_a_gap
    assert_equal [figures(10)], rows([START.to_s, "a", "AA=="], row(figures(10))).between(0, 1 << 40, nil)
  end

  def test_no_host_has_no_rows
    assert_empty rows(row(figures(0))).between(0, 1 << 40, [])
  end
end
