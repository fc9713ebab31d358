# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

# What the tables themselves enforce.
class Holdup::Store::CreateStoreTest < Minitest::Test
  Sql = Holdup::Store::Sql
  SPAN = {seconds: 60, start_s: 60, series_id: 1, setting_id: 1, host_id: 1}.freeze
  NUMBERS = [:count, :errors, *Holdup::Window::SUMS].to_h { |name| [name, 0] }.freeze
  BLOBS = Holdup::Window::HISTOGRAMS.to_h { |name| [name, Sequel.blob("x")] }.freeze
  SETTING = "abcdefabcdef"
  OUTCOME = {kind: "request", pool: "", setting: SETTING, from_s: 1, to_s: 2, processes: 1, threads: 5,
             time_slice_ns: 1, figure: "p95", app: "shop"}.freeze
  NS = %i[recorded_ns replayed_ns predicted_ns measured_ns].to_h { |name| [name, 1] }.freeze
  # Table => columns that identify a row, and the others.
  ROWS = {
    hosts: [{name: "a"}, {}],
    settings: [{fingerprint: SETTING}, {attributes: "{}"}],
    series: [{kind: "request", name: "A", queue: ""}, {}],
    windows: [SPAN, {**NUMBERS, **BLOBS}],
    host_sums: [{seconds: 300, start_s: 300, series_id: 1, setting_id: 1, late_host_id: 0},
      {windows: 1, min_host_id: 1, max_host_id: 1, **NUMBERS, **BLOBS}],
    tiers: [{seconds: 7}, {}],
    process_samples: [{at_s: 1, host_id: 1, pid: 1}, {facts: "{}"}],
    unit_samples: [{start_s: 1, setting_id: 1, host_id: 1},
      {seen: 1, bytes: 1, packed: Sequel.blob("x")}],
    slowest_units: [{start_s: 60, series_id: 1, setting_id: 1, host_id: 1},
      {slowest_ns: 1, bytes: 1, packed: Sequel.blob("x")}],
    recent_figures: [{host_id: 1, slot: 7}, {start_s: 70, packed: Sequel.blob("x")}],
    arrivals: [{start_s: 60, setting_id: 1, host_id: 1}, {bytes: 1, packed: Sequel.blob("x")}],
    pair_blocks: [{seconds: 60, start_s: 60, setting_id: 1, host_id: 1},
      {pairs: 1, packed: Sequel.blob("x")}],
    checkpoints: [{segment: "s"}, {checkpoint: Sequel.blob("x")}],
    collector_checkpoints: [{host: "a", folder: "/x"}, {at_ns: 1, units: "{}"}],
    skipped_rows: [{host: "a", kind: "window", name: "A"}, {at_s: 1, reason: "x", count: 1}],
    deaths: [{source: "s"}, {at_s: 1, facts: "{}"}],
    notices: [{source: "s"}, {at_s: 1, facts: "{}"}],
    audit_entries: [{source: "s"}, {at_s: 1, host: "a", event: "turn", facts: "{}"}],
    prediction_outcomes: [OUTCOME, {at_s: 1, units: 1, **NS}],
    answers: [{question: "advice"}, {at_s: 1, text: Sequel.blob("x")}]
  }.freeze

  def setup
    @db = Sequel.connect(adapter: "sqlite", keep_reference: false)
    Sql::Connection::Schema.new.migrate(@db, Sql::Sqlite.new("memory"))
  end

  def teardown
    @db.disconnect
    super
  end

  # Two of everything that rows refer to.
  def fill
    %w[a b].each { |name| @db[:hosts].insert(name:) }
    [SETTING, "other"].each { |fingerprint| @db[:settings].insert(fingerprint:, attributes: "{}") }
    %w[A B].each { |name| @db[:series].insert(kind: "request", name:) }
  end

  # Another value that is allowed in that column.
  def other(value)
    value.is_a?(Integer) ? value + 1 : "#{value}2"
  end

  def test_each_table_has_its_rows
    assert_equal [*ROWS.keys, :schema_info].sort, @db.tables.sort
    assert_equal Sql::DatabaseServer::TABLES, @db.tables.sort - [:pair_blocks]
  end

  def test_a_row_is_there_once
    fill
    ROWS.each do |table, (key, facts)|
      rows = @db[table]
      rows.insert(**key, **facts) if rows.where(key).empty?
      assert_raises(Sequel::UniqueConstraintViolation, table) { rows.insert(**key, **facts) }
    end
  end

  def test_each_part_of_a_key_tells_rows_apart
    fill
    ROWS.each do |table, (key, facts)|
      rows = @db[table]
      rows.insert(**key, **facts) if rows.where(key).empty?
      key.each do |column, value|
        changed = key.merge(column => other(value))
        rows.insert(**changed, **facts) if rows.where(changed).empty?
        assert_equal 1, rows.where(changed).count, "#{table}.#{column}"
      end
    end
  end

  # A null is a row that a reader can't make anything of. Intervals are unknown in rows from before they were
  # kept.
  def test_every_column_but_the_path_and_intervals_must_have_a_value
    nullable = ROWS.keys.flat_map do |table|
      @db.schema(table).filter_map { |name, facts| "#{table}.#{name}" if facts[:allow_null] }
    end
    assert_equal %w[prediction_outcomes.highest_ns prediction_outcomes.lowest_ns series.path],
      nullable.sort
  end

  def test_a_window_has_a_column_for_each_of_its_figures
    assert_equal [:id, *Sql::WindowCodec::COLUMNS].sort, @db[:windows].columns.sort
    assert_equal [:id, *Sql::WindowRows::HostSums::COLUMNS].sort, @db[:host_sums].columns.sort
  end

  def test_rows_refer_to_what_is_there
    fill
    {windows: %i[series_id setting_id host_id], host_sums: %i[series_id setting_id],
     unit_samples: %i[setting_id host_id], slowest_units: %i[series_id setting_id host_id],
     arrivals: %i[setting_id host_id], pair_blocks: %i[setting_id host_id],
     process_samples: %i[host_id]}.each do |table, columns|
      key, facts = ROWS.fetch(table)
      columns.each do |column|
        assert_raises(Sequel::ForeignKeyConstraintViolation, "#{table}.#{column}") do
          @db[table].insert(**key, **facts, column => 99)
        end
      end
    end
  end

  def test_a_new_store_has_every_tier_and_nothing_is_rolled_up
    assert_equal Holdup::Store::Tier.fresh.map(&:to_h), @db[:tiers].order(:seconds).all
  end

  def test_migrating_again_changes_nothing
    fill
    before = @db[:hosts].all
    Sql::Connection::Schema.new.migrate(@db, Sql::Sqlite.new("memory"))

    assert_equal before, @db[:hosts].all
    assert_equal Holdup::Store::Tier.fresh.size, @db[:tiers].count
  end
end
