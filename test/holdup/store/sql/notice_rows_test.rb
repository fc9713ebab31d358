# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::Sql::NoticeRowsTest < Minitest::Test
  include TemporaryFolder

  NOW_S = 1_800_000_000

  def setup
    Holdup::Store.open(path).tap(&:migrate!).close
    @connection = Holdup::Store::Sql::Connection.new(Holdup::Store::Sql::Sqlite.new(path))
    @notices = Holdup::Store::Sql::NoticeRows.new(@connection)
  end

  def teardown
    @connection.close
  end

  def path = File.join(folder, "a.sqlite3")

  def notice(source, at_s: NOW_S, by: "web-1")
    Holdup::Notice.new(source:, rule: "stall", state: :began, at_s:, by:)
  end

  def sources(from_s = 0, to_s = NOW_S * 2) = @notices.between(from_s, to_s).map(&:source)

  def test_keeps_the_first_of_each_source
    @notices.add([notice("a"), notice("a", by: "web-2")])
    @notices.add([notice("b", at_s: NOW_S + 5), notice("a", at_s: NOW_S + 9)])
    assert_equal %w[a b], sources
    assert_equal %w[b], sources(NOW_S + 1)
    assert_equal %w[web-1 web-1], @notices.between(0, NOW_S * 2).map(&:by)
  end

  def test_leaves_out_what_is_damaged
    @notices.add([notice("a"), notice("b"), notice("c")])
    @connection.write do |db|
      db[:notices].where(source: "a").update(facts: "{")
      db[:notices].where(source: "b").update(facts: '{"rule":"stall"}')
    end
    assert_equal %w[c], sources
  end

  def test_is_pruned_by_age_and_number
    most = Holdup::Notice::MOST
    old = notice("old", at_s: NOW_S - Holdup::Notice::KEEP_S - 1)
    @notices.add([old, *Array.new(most + 2) { |index| notice("n#{index}", at_s: NOW_S - index) }])
    @notices.prune(NOW_S)
    assert_equal most, sources.size
    assert_equal "n0", sources.last
    refute_includes sources, "n#{most}"
  end
end
