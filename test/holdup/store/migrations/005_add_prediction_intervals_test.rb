# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

# A store that kept outcomes of predictions before it kept their intervals.
class Holdup::Store::AddPredictionIntervalsTest < Minitest::Test
  include TemporaryFolder

  Sql = Holdup::Store::Sql
  ROW = {at_s: 9, app: "shop", kind: "request", pool: "", setting: "abcdefabcdef", from_s: 1, to_s: 2,
         processes: 1, threads: 5, time_slice_ns: 1, units: 500, figure: "p95", recorded_ns: 1,
         replayed_ns: 2, predicted_ns: 3, measured_ns: 4}.freeze

  def test_keeps_what_was_recorded_and_does_not_know_its_interval
    Sequel.extension :migration
    path = File.join(folder, "a.sqlite3")
    db = Sql::Sqlite.new(path).connect
    db.create_table(:schema_info) { Integer :version, default: 0, null: false, primary_key: true }
    Sequel::IntegerMigrator.new(db, Sql::Connection::Schema::FOLDER, target: 4).run
    db[:prediction_outcomes].insert(ROW)
    db.disconnect
    store = Holdup::Store.open(path)
    assert_equal 8, store.health[:schema]
    figure = store.outcomes.first.figures.fetch(:p95)
    assert_equal({predicted_ns: 3, measured_ns: 4, lowest_ns: nil, highest_ns: nil},
      figure.to_h.slice(:predicted_ns, :measured_ns, :lowest_ns, :highest_ns))
  ensure
    store&.close
  end
end
