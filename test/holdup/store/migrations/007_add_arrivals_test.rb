# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

# A store that was recorded before arrivals were kept.
class Holdup::Store::AddArrivalsTest < Minitest::Test
  include TemporaryFolder
  include ExampleUnits

  Sql = Holdup::Store::Sql

  def path = File.join(folder, "a.sqlite3")

  def setup
    Sequel.extension :migration
    schema = Sql::Connection::Schema
    db = Sql::Sqlite.new(path).connect
    db.create_table(:schema_info) { Integer :version, default: 0, null: false, primary_key: true }
    Sequel::IntegerMigrator.new(db, schema::FOLDER, target: 6).run
    db[:hosts].insert(name: "web-1")
    db.disconnect
  end

  def test_keeps_what_was_recorded_and_has_no_arrivals
    store = Holdup::Store.open(path)
    assert_equal ["web-1"], store.hosts
    assert_empty store.arrivals(0, 1 << 40)
    assert_equal 8, store.health[:schema]
  ensure
    store&.close
  end
end
