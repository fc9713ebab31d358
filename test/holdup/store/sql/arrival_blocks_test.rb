# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

class Holdup::Store::Sql::ArrivalBlocksTest < Minitest::Test
  include ExampleUnits
  include TemporaryFolder

  Sql = Holdup::Store::Sql

  def setup
    @connection = Sql::Connection.new(Sql::Sqlite.new(File.join(folder, "a.sqlite3")))
    @skipped = Sql::SmallTables::SkippedRows.new(@connection)
    @arrivals = Sql::ArrivalBlocks.new(@connection, Sql::WindowCodec.new(@connection), @skipped)
  end

  def teardown
    @connection.close
    super
  end

  def test_settings_hosts_and_minutes_have_rows_of_their_own
    other = Holdup::Setting.new(attributes: {"threads" => 3})
    @arrivals.merge([block, block, block(setting: other), block(host: "b"), block(start_s: START_S + 60)])
    rows = table(&:all)
    assert_equal 4, rows.size
    assert_equal rows.map { |row| row[:packed].bytesize }, rows.map { |row| row[:bytes] }
  end

  def test_a_damaged_row_is_replaced_and_reported
    @arrivals.merge([block])
    table { |rows| rows.update(packed: Sequel.blob("\x01garbage")) }
    assert_raises(Holdup::StoreError::Corrupt) { @arrivals.between(START_S, START_S + 60) }
    @arrivals.merge([block])
    assert_equal [block], @arrivals.between(START_S, START_S + 60)
    assert_equal ["arrivals"], @skipped.to_a.map(&:name)
  end

  private

  def table(&) = @connection.write { |db| yield db[:arrivals] }

  def block(start_s: START_S, setting: SETTING, host: "a")
    counts = Holdup::ArrivalCounts.new(seconds: [1, *[0] * 59], squares: 1, stamped: 0, missed: 0)
    unit_pool = Holdup::ArrivalBlock::UnitPool.new(kind: :request, pool: nil)
    Holdup::ArrivalBlock.new(setting:, host:, start_s:, counts: {unit_pool => counts})
  end
end
