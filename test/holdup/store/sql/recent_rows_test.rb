# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::Sql::RecentRowsTest < Minitest::Test
  include TemporaryFolder

  Sql = Holdup::Store::Sql
  START = 1_790_000_040

  def setup
    path = File.join(folder, "a.sqlite3")
    Holdup::Store.open(path).tap(&:migrate!).close
    @connection = Sql::Connection.new(Sql::Sqlite.new(path))
    @rows = Sql::RecentRows.new(@connection, Sql::WindowCodec.new(@connection).hosts)
  end

  def teardown = @connection.close

  def figures(at_s)
    start_s = START + at_s
    total = Holdup::Window.empty(series: Holdup::RecentFigures::ALL, host: "a", start_s:, seconds: 10)
    Holdup::RecentFigures.new(host: "a", start_s:, length_ms: 10_000, total:, series: [], others: {},
      held: {})
  end

  def count = @connection.read { |db| db[:recent_figures].count }

  # Hours of rounds have as many rows as one.
  def test_a_host_has_no_more_rows_than_slots
    (0...400).each { |round| @rows.save(figures(round * 10)) }
    assert_equal Holdup::RecentFigures::SLOTS, count
    assert_equal START + 400, @rows.between(0, 1 << 40, nil).first.start_s
  end

  def test_a_damaged_row_is_a_gap
    [0, 10].each { |at_s| @rows.save(figures(at_s)) }
    @connection.write { |db| db[:recent_figures].where(start_s: START).update(packed: Sequel.blob("x")) }
    assert_equal [START + 10], @rows.between(0, 1 << 40, nil).map(&:start_s)
  end
end
