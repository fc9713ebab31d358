# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

# A store that was recorded before rounds of ten seconds were kept.
class Holdup::Store::AddRecentFiguresTest < Minitest::Test
  include TemporaryFolder

  Sql = Holdup::Store::Sql

  def test_keeps_what_was_recorded_and_has_no_recent_figures
    Sequel.extension :migration
    path = File.join(folder, "a.sqlite3")
    db = Sql::Sqlite.new(path).connect
    db.create_table(:schema_info) { Integer :version, default: 0, null: false, primary_key: true }
    Sequel::IntegerMigrator.new(db, Sql::Connection::Schema::FOLDER, target: 5).run
    db[:hosts].insert(name: "web-1")
    db.disconnect
    store = Holdup::Store.open(path)
    assert_equal ["web-1"], store.hosts
    assert_empty store.recent_figures(0, 1 << 40)
    assert_equal 8, store.health[:schema]
  ensure
    store&.close
  end
end
