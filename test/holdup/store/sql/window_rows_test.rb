# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::Sql::WindowRowsTest < Minitest::Test
  include SampleMinutes

  Sql = Holdup::Store::Sql

  def setup
    @connection = Sql::Connection.new(Sql::Sqlite::MemoryDatabase.new)
    @codec = Sql::WindowCodec.new(@connection)
    @skipped = Sql::SmallTables::SkippedRows.new(@connection)
    @rows = Sql::WindowRows.new(@connection, @codec, @skipped)
  end

  def hour(offset = 0, **rest) = minute(offset, **rest).with(seconds: 3600)

  def stored(seconds = 60) = all_windows(@rows, seconds)

  def damage(**only)
    @connection.write { |db| db[:windows].where(only).update(wall: Sequel.blob("\xff" * 9)) }
  end

  def test_windows_are_added_to_those_that_are_there
    @rows.merge([minute, minute(1)])
    @rows.merge([minute(values: [7, 9]), minute.with(host: "b")])
    counts = stored.map { |window| [window.start_s - MINUTE_START, window.host, window.count] }
    assert_equal [[0, "a", 3], [0, "b", 1], [60, "a", 1]], counts.sort
  end

  def test_windows_of_each_length_are_apart
    @rows.merge([minute, hour])
    assert_equal [1, 1], [stored.size, stored(3600).size]
  end

  def test_a_span_can_be_replaced
    @rows.merge([minute, minute(1), minute(name: "Other")])
    @rows.replace(60, MINUTE_START, [minute(values: [1, 2, 3, 4])])
    assert_equal [[0, 4], [60, 1]], stored.map { |window| [window.start_s - MINUTE_START, window.count] }.sort
  end

  def test_rows_before_a_second_are_deleted_of_that_length_only
    @rows.merge([minute, minute(1), hour])
    @rows.delete_before(60, MINUTE_START + 60)
    assert_equal [60], stored.map { |window| window.start_s - MINUTE_START }
    assert_equal 1, stored(3600).size
  end

  def test_where_windows_begin_and_end
    assert_empty @rows.extent
    @rows.merge([minute(5), minute(9), hour(60)])
    assert_equal [5, 60].map { |offset| MINUTE_START + offset * 60 }, @rows.extent
    assert_equal MINUTE_START + 9 * 60, @rows.first_start(60, MINUTE_START + 301)
    assert_nil @rows.first_start(60, MINUTE_START + 301, MINUTE_START + 9 * 60)
  end

  def test_sums_are_of_each_series_setting_and_host
    other = Holdup::Setting.new(attributes: {"threads" => 3})
    @rows.merge([minute, minute(1, values: [1, 2]), minute(2, name: "Other"), minute.with(host: "b"),
      minute.with(setting: other), minute(99)])
    sums = @rows.summed(60, MINUTE_START, MINUTE_START + 180)
    assert_equal 4, sums.size
    own = sums.find { |one| one.series.name == minute.series.name && one.host == "a" && one.setting != other }
    assert_equal 3, own.count
    assert_equal 5_000_003, own.histograms[:wall].sum
  end

  # The roll-up goes on, and the doctor says what is missing.
  def test_a_damaged_row_is_left_out_of_sums_and_named
    @rows.merge([minute, minute(1), minute(2)])
    damage(start_s: MINUTE_START + 60)
    assert_equal 2, @rows.summed(60, MINUTE_START, MINUTE_START + 180).sum(&:count)
    assert_equal [["OrdersController#index", "a", :stored]],
      @skipped.to_a.map { |row| [row.name, row.host, row.kind.to_sym] }
  end

  def test_a_damaged_row_is_replaced_by_what_is_added_to_it
    @rows.merge([minute])
    damage(start_s: MINUTE_START)
    @rows.merge([minute(values: [7, 9])])
    assert_equal [2], stored.map(&:count)
    assert_equal 1, @skipped.to_a.size
  end

  def test_when_each_setting_begins
    other = Holdup::Setting.new(attributes: {"threads" => 3})
    @rows.merge([minute, minute(name: "Other"), minute(1).with(setting: other)])
    range = Holdup::Store::Tier::ReadPlan::TierRange.new(seconds: 60, from_s: MINUTE_START,
      to_s: MINUTE_START + 180)
    starts = @rows.setting_starts(range).map { |at_s, setting| [at_s - MINUTE_START, setting] }
    assert_equal [[0, MINUTE_SETTING], [60, other]], starts.sort_by(&:first)
  end

  def test_how_far_each_tier_is
    tier = @rows.tiers.first
    @rows.save_tier(tier.with(rolled_to_s: 600, kept_from_s: 60))
    found = @rows.tiers.find { |one| one.seconds == tier.seconds }
    assert_equal [600, 60], [found.rolled_to_s, found.kept_from_s]
    assert_equal @rows.tiers.map(&:seconds).sort, @rows.tiers.map(&:seconds)
  end
end
