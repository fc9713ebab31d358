# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

# A store that was recorded before the slowest requests and jobs were kept.
class Holdup::Store::AddSlowestUnitsTest < Minitest::Test
  include TemporaryFolder
  include ExampleUnits

  Sql = Holdup::Store::Sql

  def path = File.join(folder, "a.sqlite3")

  def setup
    Sequel.extension :migration
    schema = Sql::Connection::Schema
    db = Sql::Sqlite.new(path).connect
    db.create_table(:schema_info) { Integer :version, default: 0, null: false, primary_key: true }
    Sequel::IntegerMigrator.new(db, schema::FOLDER, target: 1).run
    db[:hosts].insert(name: "web-1")
    db.disconnect
  end

  def test_keeps_what_was_recorded_and_has_no_slowest
    store = Holdup::Store.open(path)
    assert_equal ["web-1"], store.hosts
    assert_nil store.slowest_from_s
    assert_empty store.slowest_units(0, 1 << 40, most: 5)
    store.commit([], {}, slowest: Holdup::SlowestBlock.of([slow_unit]))
    assert_equal [slow_unit], store.slowest_units(0, 1 << 40, most: 5)
    assert_equal 8, store.health[:schema]
  ensure
    store&.close
  end

  def test_says_what_a_reader_has_to_do
    error = assert_raises(Holdup::StoreError) { Holdup::Store.open(path, read_only: true).hosts }
    assert_instance_of Holdup::StoreError::OlderSchema, error
  end
end
