# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# What rows of each kind have in common; the tests of each kind have its own values.
class Holdup::Store::Sql::SourcedRowsTest < Minitest::Test
  include TemporaryFolder

  # A row that only has a source and a time.
  PlainRow = Data.define(:source, :at_s)

  class PlainRows < Holdup::Store::Sql::SourcedRows
    private

    def facts(_) = {}

    def value(source:, at_s:, facts:) = PlainRow.new(source:, at_s:)
  end

  def setup
    path = File.join(folder, "a.sqlite3")
    Holdup::Store.open(path).tap(&:migrate!).close
    @connection = Holdup::Store::Sql::Connection.new(Holdup::Store::Sql::Sqlite.new(path))
    @rows = PlainRows.new(@connection, table: :notices, keep_s: 100, most: 3)
  end

  def teardown
    @connection.close
    super
  end

  def add(**times)
    @rows.add(times.map { |source, at_s| PlainRow.new(source: source.name, at_s:) })
  end

  def sources = @rows.between(0, 1_000).map(&:source)

  def test_come_by_time_and_then_in_the_order_in_which_they_came
    add(late: 900, second: 500, first: 500)
    add(early: 100)
    assert_equal %w[early second first late], sources
  end

  def test_the_first_of_a_source_stays
    add(a: 500)
    @rows.add([PlainRow.new("a", 600), PlainRow.new("b", 700), PlainRow.new("b", 800)])
    assert_equal [["a", 500], ["b", 700]], @rows.between(0, 1_000).map { |row| [row.source, row.at_s] }
  end

  def test_old_ones_and_the_oldest_of_too_many_are_deleted
    add(old: 799, edge: 800, b: 850, c: 860, d: 870)
    @rows.prune(900)
    assert_equal %w[b c d], sources
  end
end
