# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

class Holdup::Store::Sql::SlowestBlocksTest < Minitest::Test
  include ExampleUnits
  include TemporaryFolder

  Sql = Holdup::Store::Sql

  def setup
    @connection = Sql::Connection.new(Sql::Sqlite.new(File.join(folder, "a.sqlite3")))
    @skipped = Sql::SmallTables::SkippedRows.new(@connection)
    @codec = Sql::WindowCodec.new(@connection)
    @slowest = Sql::SlowestBlocks.new(@connection, @codec, @skipped)
  end

  def teardown
    @connection.close
    super
  end

  def table(&) = @connection.write { |db| yield db[:slowest_units] }

  def merge(*slow_units) = @slowest.merge(Holdup::SlowestBlock.of(slow_units))

  def all = @slowest.blocks(START_S - 600, START_S + 600).flat_map(&:slow_units)

  def test_series_settings_hosts_and_minutes_have_rows_of_their_own
    other = Holdup::Setting.new(attributes: {"threads" => 3})
    merge(slow_unit, slow_unit(1), slow_unit(2, name: "C#d"), slow_unit(3, setting: other),
      slow_unit(4, host: "b"), slow_unit(61_000))
    assert_equal 5, table(&:count)
    rows = table(&:all)
    assert_equal rows.map { |row| row[:packed].bytesize }, rows.map { |row| row[:bytes] }
  end

  def test_a_row_has_the_time_of_its_slowest
    merge(slow_unit(0, idle_ns: 90 * MS))
    merge(slow_unit(1, idle_ns: 50 * MS))
    assert_equal [101 * MS], table { |rows| rows.select_map(:slowest_ns) }
    assert_equal 2, all.size
  end

  def test_what_is_not_stored_is_not_added_by_reading
    unknown = Holdup::Setting.new(attributes: {"threads" => 99})
    merge(slow_unit)
    filter = Holdup::Store::SeriesFilter.new
    assert_empty @slowest.slowest(0, START_S + 60, 5, settings: [unknown], hosts: nil, filter:)
    assert_empty @slowest.slowest(0, START_S + 60, 5, settings: nil, hosts: ["z"], filter:)
    assert_equal [SETTING], @codec.settings.load.values
  end

  def test_a_damaged_row_is_replaced_and_reported
    merge(slow_unit)
    table { |rows| rows.update(packed: Sequel.blob("\x01garbage")) }
    assert_raises(Holdup::StoreError::Corrupt) { all }
    merge(slow_unit(7))
    assert_equal [slow_unit(7)], all
    assert_equal [["slowest units", START_S]], @skipped.to_a.map { |row| [row.name, row.at_s] }
  end

  # A part of the store is theirs.
  def test_prunes_the_oldest_that_do_not_fit
    [0, 61_000, 121_000].each { |at_ms| merge(slow_unit(at_ms)) }
    bytes = table { |rows| rows.select_map(:bytes) }
    assert_equal 0, @slowest.prune(START_S, bytes.sum / Holdup::Store::SlowestRetention::SHARE + 1)
    assert_equal 1, @slowest.prune(START_S, bytes.sum / Holdup::Store::SlowestRetention::SHARE - 9)
    assert_equal [61, 121], all.map { |slow| slow.unit.start_ns / 1_000_000_000 - START_S }
  end
end
