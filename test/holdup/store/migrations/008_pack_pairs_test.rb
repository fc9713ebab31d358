# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

# A store that was recorded while each pair had a row of its own.
class Holdup::Store::PackPairsTest < Minitest::Test
  include TemporaryFolder

  Sql = Holdup::Store::Sql
  SETTING = Holdup::Setting.new(attributes: {"threads" => 5})
  HISTOGRAM = Holdup::Histogram.of([5_000])
  HOSTS = %w[a b].freeze

  def path = File.join(folder, "a.sqlite3")

  def setup
    Sequel.extension :migration
    @db = Sql::Sqlite.new(path).connect
    @db.create_table(:schema_info) { Integer :version, default: 0, null: false, primary_key: true }
    Sequel::IntegerMigrator.new(@db, Sql::Connection::Schema::FOLDER, target: 7).run
    @db[:hosts].import(%i[name], HOSTS.zip)
    @db[:settings].insert(fingerprint: SETTING.fingerprint, attributes: SETTING.to_json)
    @db[:series].import(%i[kind name queue], series.map { |one| [one.kind.name, one.name, one.queue.to_s] })
    @db[:windows].import(Sql::WindowCodec::COLUMNS, windows.map { |window| row(window) })
  end

  def teardown
    @db.disconnect
    super
  end

  def series
    pairs = Holdup::Series::PAIRS.map { |kind| Holdup::Series.new(kind:, name: "A", queue: "B") }
    [Holdup::Series.new(kind: :request, name: "A"), *pairs]
  end

  # In minutes and hours that begin with them.
  def windows
    all = [[60, 7200], [60, 7260], [3600, 7200]].product(series, HOSTS)
    all.each_with_index.map do |((seconds, start_s), series, host), index|
      span = {setting: SETTING, host:, start_s:, seconds:}
      next Holdup::Window.of_pair(series:, ns: (1 << 40) + index, **span) if series.pair?
      empty = Holdup::Window.empty(series:, **span)
      empty.with(count: 1, histograms: empty.histograms.merge(wall: HISTOGRAM))
    end
  end

  def row(window)
    ids = [series.index(window.series), 0, HOSTS.index(window.host)].map { |index| index + 1 }
    [window.seconds, window.start_s, *ids, window.count, window.errors,
      *window.sums.values_at(*Holdup::Window::SUMS),
      *Holdup::Window::HISTOGRAMS.map { |name| Sequel.blob(window.histograms[name].dump) }]
  end

  def test_keeps_every_window
    store = Holdup::Store.open(path)
    assert_equal 8, store.health[:schema]
    assert_equal windows.select { |window| window.seconds == 60 }.to_set, store.windows(7200, 7320).to_set
    assert_equal [6, 6], [@db[:windows].count, @db[:pair_blocks].count]
    hours = @db[:pair_blocks].where(seconds: 3600).select_map(%i[start_s pairs])
    assert_equal [[7200, 3]] * 2, hours
  ensure
    store&.close
  end

  def test_of_a_damaged_pair_only_its_time_is_lost
    @db[:windows].where(series_id: 2, host_id: 1, start_s: 7260).update(stalled: Sequel.blob("\x01"))
    store = Holdup::Store.open(path)
    pairs = store.windows(7260, 7320, kinds: [:pair])
    assert_equal({"a" => false, "b" => true}, pairs.to_h { |pair| [pair.host, pair.pair_ns.positive?] })
  ensure
    store&.close
  end
end
