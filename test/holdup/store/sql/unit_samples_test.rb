# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

class Holdup::Store::Sql::UnitSamplesTest < Minitest::Test
  include ExampleUnits
  include TemporaryFolder

  Sql = Holdup::Store::Sql
  DAY = 86_400
  OTHER = Holdup::Setting.new(attributes: {"threads" => 3})

  def setup
    @connection = Sql::Connection.new(Sql::Sqlite.new(File.join(folder, "a.sqlite3")))
    @skipped = Sql::SmallTables::SkippedRows.new(@connection)
    @codec = Sql::WindowCodec.new(@connection)
    @samples = Sql::UnitSamples.new(@connection, @codec, @skipped)
  end

  def teardown
    @connection.close
    super
  end

  def table(&) = @connection.write { |db| yield db[:unit_samples] }

  def all = @samples.between(START_S - DAY, START_S + DAY, nil).to_a

  # Starts in ms after START_S.
  def starts(from_s, to_s, setting = nil)
    found = @samples.between(START_S + from_s, START_S + to_s, setting)
    found.map { |one| one.start_ns / 1_000_000 - START_S * 1000 }
  end

  def test_blocks_merge_in_any_order_into_the_same_sample
    parts = many(1200).each_slice(400).map { |some| block(some) }
    @samples.merge(parts)
    forwards = all
    table(&:delete)
    parts.reverse_each { |part| @samples.merge([part]) }

    assert_equal forwards, all
    assert_equal Holdup::SampleBlock::MOST, forwards.size
    assert_in_delta 1200, forwards.sum(&:weight), 1e-6
  end

  # The collector repeats a block after a failure that it could not tell from a success.
  def test_a_block_that_comes_twice_has_each_unit_once
    units = many(20)
    2.times { @samples.merge([block(units)]) }

    assert_equal 20, all.size
    assert_equal 40.0, all.sum(&:weight), "it was seen twice"
  end

  def test_settings_hosts_and_starts_have_rows_of_their_own
    later = START_S + Holdup::SampleBlock::SECONDS
    @samples.merge([block([unit_sample(1)]), block([unit_sample(2, setting: OTHER)], setting: OTHER),
      block([unit_sample(3, host: "b")], host: "b"), block([unit_sample(600_001)], start_s: later)])

    assert_equal 4, table(&:count)
    assert_equal [1, 2, 3, 600_001], starts(0, 1200)
    assert_equal [["a", SETTING], ["a", OTHER], ["b", SETTING], ["a", SETTING]],
      all.map { |one| [one.host, one.setting] }
  end

  def test_the_weight_is_by_what_was_seen_of_the_block
    @samples.merge([block([unit_sample(1), unit_sample(2)], seen: 10)])
    @samples.merge([block([unit_sample(3), unit_sample(4)], seen: 2)])

    assert_equal [3.0] * 4, all.map(&:weight)
  end

  def test_a_span_has_the_units_that_began_in_it
    units = [59_999, 60_000, 61_999, 62_000].map { |at_ms| unit_sample(at_ms) }
    @samples.merge([block(units)])

    assert_equal [60_000, 61_999], starts(60, 62)
    assert_empty starts(62, 62)
    assert_empty starts(-600, 59)
  end

  # A block begins up to ten minutes before the span and still has units in it.
  def test_reads_the_block_that_began_before_the_span
    @samples.merge([block([unit_sample(599_000)])])

    assert_equal [599_000], starts(598, 700)
    assert_equal [START_S], @samples.starts(START_S + 599, START_S + 700)
    assert_empty @samples.starts(START_S + 600, START_S + 700)
    assert_empty @samples.starts(START_S - 700, START_S)
  end

  def test_a_start_is_listed_once_for_all_settings_and_hosts
    @samples.merge([block([unit_sample(1)]), block([unit_sample(2, host: "b")], host: "b")])

    assert_equal [START_S], @samples.starts(START_S, START_S + 600)
  end

  def test_a_setting_that_is_not_stored_has_no_units_and_is_not_added
    @samples.merge([block([unit_sample(1)])])

    assert_empty starts(0, 600, OTHER)
    assert_equal [1], starts(0, 600, SETTING)
    assert_equal [SETTING], @codec.settings.load.values
  end

  def test_counts_the_bytes_of_each_block
    @samples.merge([block(many(50))])
    @samples.merge([block(many(50, seed: 2))])
    rows = table(&:all)

    assert_equal rows.map { |row| row[:packed].bytesize }, rows.map { |row| row[:bytes] }
    assert_equal [100], rows.map { |row| row[:seen] }
  end

  def test_a_damaged_block_is_replaced_and_reported
    @samples.merge([block(many(5))])
    table { |rows| rows.update(packed: Sequel.blob("\x01garbage")) }
    @samples.merge([block([unit_sample(7)], seen: 1)])

    assert_equal [7], starts(0, 600)
    row = @skipped.to_a.first
    assert_equal :stored, row.kind.to_sym
    assert_equal "unit samples", row.name
    assert_equal START_S, row.at_s
    assert_match(/damaged/, row.reason)
  end

  def test_a_reader_of_a_damaged_block_gets_a_corrupt_store
    @samples.merge([block(many(5))])
    table { |rows| rows.update(packed: Sequel.blob("\x01garbage")) }

    assert_raises(Holdup::StoreError::Corrupt) { all }
    assert_empty @skipped.to_a
  end

  def test_a_block_of_a_later_version_is_not_read_as_ours
    @samples.merge([block(many(5))])
    table { |rows| rows.update(packed: Sequel.blob("\x09#{"x" * 20}")) }

    assert_match(/version 9/, assert_raises(Holdup::StoreError::Corrupt) { all }.message)
  end

  def test_is_read_only_when_it_is_iterated
    found = @samples.between(START_S, START_S + 600, nil)
    @samples.merge([block([unit_sample(1)])])

    assert_equal 1, found.count
    assert_equal 1, found.count, "and again"
  end

  def three_blocks
    blocks = Array.new(3) do |index|
      start_s = START_S + index * 600
      block([unit_sample(index * 600_000 + 1)], start_s:)
    end
    @samples.merge(blocks)
  end

  def test_prunes_by_age_from_fourteen_days_on
    three_blocks

    assert_equal 0, @samples.prune(START_S + 14 * DAY, 1 << 30)
    assert_equal 1, @samples.prune(START_S + 14 * DAY + 1, 1 << 30)
    assert_equal [600_001, 1_200_001], starts(0, 3600)
  end

  # A quarter of the store is theirs.
  def test_prunes_the_oldest_that_do_not_fit
    three_blocks
    bytes = table { |rows| rows.select_map(:bytes) }

    assert_equal 0, @samples.prune(START_S, bytes.sum * 4)
    assert_equal 1, @samples.prune(START_S, bytes.sum * 4 - 4)
    assert_equal [600_001, 1_200_001], starts(0, 3600)
    assert_equal 2, @samples.prune(START_S, 0)
    assert_empty all
  end
end
