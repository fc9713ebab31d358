# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::Sql::DeathRowsTest < Minitest::Test
  include TemporaryFolder

  NOW_S = 1_800_000_000
  NS = 1_000_000_000

  def setup
    Holdup::Store.open(path).tap(&:migrate!).close
    @connection = Holdup::Store::Sql::Connection.new(Holdup::Store::Sql::Sqlite.new(path))
    @deaths = Holdup::Store::Sql::DeathRows.new(@connection)
  end

  def teardown
    @connection.close
  end

  def path = File.join(folder, "a.sqlite3")

  def autopsy(source, at_s: NOW_S)
    Holdup::Autopsy.new(source:, host: "web-1", pid: 7, name: "worker 0", setting: "abc", since_ns: NS,
      alive_ns: at_s * NS, gone_ns: at_s * NS + 5)
  end

  def sources(from_s = 0, to_s = NOW_S * 2) = @deaths.between(from_s, to_s).map(&:source)

  def test_keeps_one_of_each_source
    @deaths.add([autopsy("a"), autopsy("a")])
    @deaths.add([autopsy("b", at_s: NOW_S + 5), autopsy("a", at_s: NOW_S + 9)])
    assert_equal %w[a b], sources
    assert_equal %w[b], sources(NOW_S + 1)
  end

  def test_leaves_out_what_is_damaged
    @deaths.add([autopsy("a"), autopsy("b"), autopsy("c")])
    @connection.write do |db|
      db[:deaths].where(source: "a").update(facts: "{")
      db[:deaths].where(source: "b").update(facts: '{"units":[]}')
    end
    assert_equal %w[c], sources
  end

  def test_is_pruned_by_age_and_number
    most = Holdup::Autopsy::MOST
    old = autopsy("old", at_s: NOW_S - Holdup::Autopsy::KEEP_S - 1)
    @deaths.add([old, *Array.new(most + 2) { |index| autopsy("d#{index}", at_s: NOW_S - index) }])
    @deaths.prune(NOW_S)
    assert_equal most, sources.size
    assert_equal "d0", sources.last
    refute_includes sources, "d#{most}"
  end
end
