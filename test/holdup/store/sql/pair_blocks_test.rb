# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

class Holdup::Store::Sql::PairBlocksTest < Minitest::Test
  include TemporaryFolder

  Sql = Holdup::Store::Sql
  Codec = Sql::PairBlocks::Codec
  Range = Holdup::Store::Tier::ReadPlan::TierRange
  START_S = 1_728_000_000
  SETTING = Holdup::Setting.new(attributes: {"threads" => 5})

  def setup
    @connection = Sql::Connection.new(Sql::Sqlite.new(File.join(folder, "a.sqlite3")))
    @skipped = Sql::SmallTables::SkippedRows.new(@connection)
    @pairs = Sql::PairBlocks.new(@connection, Sql::WindowCodec.new(@connection), @skipped)
  end

  def teardown
    @connection.close
    super
  end

  def test_a_row_has_all_pairs_of_a_start_setting_and_host
    other = Holdup::Setting.new(attributes: {"threads" => 3})
    @pairs.merge([pair("A"), pair("B"), pair("A", setting: other), pair("A", host: "b"),
      pair("A", start_s: START_S + 60), pair("A").with(seconds: 300)])

    assert_equal [2, 1, 1, 1, 1], table { |rows| rows.order(:id).select_map(:pairs) }
  end

  def test_what_comes_later_is_added
    @pairs.merge([pair("A", ns: 3), pair("A", ns: 4)])
    @pairs.merge([pair("A", ns: 1 << 50), pair("B", ns: 5)])

    assert_equal [pair("A", ns: (1 << 50) + 7), pair("B", ns: 5)], windows
  end

  def test_a_span_can_be_replaced_and_an_old_one_deleted
    @pairs.merge([pair("A"), pair("B"), pair("A", start_s: START_S + 60)])
    @pairs.replace(60, START_S, [pair("C", ns: 9)])
    assert_equal [pair("C", ns: 9), pair("A", start_s: START_S + 60)], windows
    assert_equal [START_S, START_S + 60], @pairs.extent(60, 0)
    @pairs.merge([pair("D")])

    assert_equal 2, @pairs.delete_before(60, START_S + 60)
    assert_equal [pair("A", start_s: START_S + 60)], windows
    assert_empty @pairs.extent(300, 0)
  end

  def test_a_damaged_row_is_reported_and_replaced
    @pairs.merge([pair("A")])
    damage
    assert_raises(Holdup::StoreError::Corrupt) { windows }
    assert_empty @pairs.readable_windows(range)
    @pairs.merge([pair("B")])

    assert_equal [pair("B")], windows
    assert_equal ["pairs"], @skipped.to_a.map(&:name)
  end

  def test_a_roll_up_goes_on_without_a_damaged_row
    @pairs.merge([pair("A"), pair("A", start_s: START_S + 60, ns: 7)])
    damage(start_s: START_S)
    rows = Sql::WindowRows.new(@connection, Sql::WindowCodec.new(@connection), @skipped)

    assert_equal [7], rows.summed(60, START_S, START_S + 300).map(&:pair_ns)
  end

  def test_any_number_of_pairs_comes_back
    [{}, {1 => 0}, {5 => 1 << 62, 300 => 1}, {7 => 1 << 70}].each do |pairs|
      assert_equal pairs, Codec.load(Codec.dump(pairs))
    end
    damaged = ["", "\x02", "\x01\x05", Codec.dump({1 => 500})[0..-2]]
    damaged.each { |bytes| assert_raises(Holdup::DamagedData, bytes.inspect) { Codec.load(bytes.b) } }
  end

  private

  def pair(name, ns: 1, start_s: START_S, setting: SETTING, host: "a")
    series = Holdup::Series.new(kind: :pair, name:, queue: "Reports#show")
    Holdup::Window.of_pair(series:, ns:, start_s:, seconds: 60, setting:, host:)
  end

  def range = Range.new(seconds: 60, from_s: 0, to_s: 1 << 40)

  def windows = [].tap { |all| @pairs.each_window(range) { |window| all << window } }

  def table(&) = @connection.write { |db| yield db[:pair_blocks] }

  def damage(**only) = table { |rows| rows.where(only).update(packed: Sequel.blob("\x02garbage")) }
end
